/** Digits that lua-cjson writes. */
const digits = 14;

/** Text in which a number may have more digits, or need an exponent to have fewer. */
const mayBeLong = /\d[\d.]{14}/;

/** `JSON.parse`, with the numbers that lua-cjson makes of what is written: they stand in etcd as it writes them. */
export function parseLuaJson(text: string): unknown {
  return mayBeLong.test(text) ? JSON.parse(text, luaValue) : JSON.parse(text);
}

function luaValue(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === "number" ? luaNumber(context?.source ?? String(value)) : value;
}

/**
 * The number that stands once lua-cjson has read this text and written it. Whole numbers without an exponent are read as
 * 64 bit integers, and larger ones as the last of these (measured: APISIX 3.18, test/fixtures/apisix-numbers.ts).
 */
export function luaNumber(text: string): number {
  const value = Number(text);
  if (!/^-?\d+$/.test(text)) return rounded(value);
  return rounded(Math.min(Math.max(value, -(2 ** 63)), 2 ** 63));
}

/** As C's `%.14g`: between two, the even one. JavaScript takes the larger. */
function rounded(value: number): number {
  if (!Number.isFinite(value)) return value;
  const [exact = "", exponent] = value.toExponential(20).split("e");
  const isBetween = /^50*$/.test(exact.slice(exact.indexOf(".") + digits));
  const below = exact.slice(0, exact.indexOf(".") + digits);
  return isBetween && /[02468]$/.test(below)
    ? Number(`${below}e${exponent}`)
    : Number(value.toPrecision(digits));
}
