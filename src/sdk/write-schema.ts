import { writeFileSync } from "node:fs";
import { schemaText } from "./schema-text.ts";

/** `npm run schema`: writes the JSON Schema that is published beside the SDK. */
writeFileSync(new URL("routes.schema.json", import.meta.url), schemaText());
