import { isJsonArray, isJsonObject } from "./json-object.ts";
import type { Collection } from "./resource-path.ts";
import type { Json, JsonObject } from "./types.ts";

type Check = (value: Json) => boolean;

const isText: Check = (value) => typeof value === "string";
const isNumber: Check = (value) => typeof value === "number";
const isId: Check = (value) => isText(value) || isNumber(value);
const isTextList: Check = (value) => isEmptyTable(value) || (isJsonArray(value) && value.every(isText));
const isTextMap: Check = (value) =>
  isEmptyTable(value) || (isJsonObject(value) && Object.values(value).every(isText));
/** `{"10.0.0.1:80": 1}` or a list of objects. */
const isNodes: Check = (value) => isJsonObject(value) || (isJsonArray(value) && value.every(isJsonObject));

const ofAll: Readonly<Record<string, Check>> = { id: isId, labels: isTextMap };

const checks: Readonly<Record<Collection, Readonly<Record<string, Check>>>> = {
  routes: {
    ...ofAll,
    host: isText,
    hosts: isTextList,
    uri: isText,
    uris: isTextList,
    status: isNumber,
    service_id: isId,
  },
  services: { ...ofAll, hosts: isTextList },
  upstreams: { ...ofAll, nodes: isNodes },
};

/**
 * Which field of an object, of those that decide what the translator does, has a type that no Admin API sends; undefined
 * where all are well. Absent fields are well. To misread a host or a label could free a pair or disown an object.
 */
export function misshapenField(collection: Collection, object: JsonObject): string | undefined {
  for (const [field, isWell] of Object.entries(checks[collection])) {
    const value = object[field];
    if (value !== undefined && !isWell(value)) return field;
  }
  return undefined;
}

/** Lua's empty table is written as either. */
function isEmptyTable(value: Json): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
