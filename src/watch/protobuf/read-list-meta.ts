import { FieldCursor, wireType } from "../../protobuf/field-cursor.ts";

const listMetaNumber = { resourceVersion: 2, continue: 3 };

/**
 * meta.v1.ListMeta, as far as it is needed; `""` for what is not there.
 *
 * @throws WireError
 */
export function readListMeta(bytes: Buffer): { readonly resourceVersion: string; readonly continue: string } {
  const cursor = new FieldCursor(bytes, 0, bytes.length);
  let resourceVersion = "";
  let next = "";
  while (cursor.next()) {
    const { start, end } = cursor;
    if (cursor.is(listMetaNumber.resourceVersion, wireType.bytes))
      resourceVersion = bytes.toString("utf8", start, end);
    else if (cursor.is(listMetaNumber.continue, wireType.bytes)) next = bytes.toString("utf8", start, end);
  }
  return { resourceVersion, continue: next };
}
