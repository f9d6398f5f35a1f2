import { consumedFields } from "../../src/filter/consumed.ts";
import { objectReaders } from "../../src/protobuf/object-reader.ts";

/** As the controller makes them, with a seed that stays. */
export const readers = objectReaders(consumedFields, () => 0.625);
