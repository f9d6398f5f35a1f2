import { routesSchema } from "../declare/routes-schema.ts";

/** The published JSON Schema, as it stands in `routes.schema.json`. */
export const schemaText = (): string => `${JSON.stringify(routesSchema, null, 2)}\n`;
