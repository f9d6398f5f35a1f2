import type { Member } from "./member.ts";
import { keyText } from "./sources.ts";

/**
 * The members of a group by the key of their source. Most groups have one, and are many: no Map is made for it, nor its
 * key kept.
 */
export class Members {
  #one: Member | undefined;
  #all: Map<string, Member> | undefined;

  get size(): number {
    return this.#all?.size ?? (this.#one === undefined ? 0 : 1);
  }

  /** In the order in which they came. */
  values(): Iterable<Member> {
    return this.#all?.values() ?? (this.#one === undefined ? [] : [this.#one]);
  }

  set(member: Member): void {
    if (this.#all !== undefined) {
      this.#all.set(keyText(member), member);
    } else if (this.#one === undefined || keyText(this.#one) === keyText(member)) {
      this.#one = member;
    } else {
      this.#all = new Map([this.#one, member].map((each) => [keyText(each), each]));
      this.#one = undefined;
    }
  }

  /** The member that this source has given. */
  delete(source: Parameters<typeof keyText>[0]): void {
    const key = keyText(source);
    if (this.#all !== undefined) this.#all.delete(key);
    else if (this.#one !== undefined && keyText(this.#one) === key) this.#one = undefined;
  }
}
