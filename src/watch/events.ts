import type { TranslatorError } from "../errors.ts";
import type { Fingerprint } from "../protobuf/fingerprint.ts";

/** What the watch stage says to the stages after it. */

export type Kind = "pods" | "services" | "endpointslices" | "nodes";

/** Which object: `namespace` is `""` for kinds without namespaces. */
export interface ObjectKey {
  readonly namespace: string;
  readonly name: string;
}

/**
 * One object as the server sent it, not yet understood beyond its key. It may stand in memory that is used again: it is
 * good only while its event is being taken.
 */
export interface Wire {
  /**
   * Of uid and generation, for kinds whose generation moves with all that is consumed: equal stamps of one key mean that
   * no consumed value differs. A stamp is good for one list and what is watched from there: a store that went back to an
   * older state counts the same generations again.
   */
  readonly stamp: Fingerprint | undefined;
  /**
   * Of the consumed fields' bytes, in formats that have one: equal fingerprints of one key mean that no consumed value
   * differs.
   *
   * @throws WireError as `value` does.
   */
  fingerprint(): Fingerprint | undefined;
  /**
   * The object as `JSON.parse` gives it, or what is consumed of it.
   *
   * @throws WireError where the bytes are no object of the kind. Whoever takes the event lets it pass: the watch that said
   * it ends then, and another list follows.
   */
  value(): unknown;
}

/**
 * One session is one connection to one cluster with one credential, numbered upwards per cluster. A session that has
 * been replaced says nothing any more. `at` is `Clock.now()` when the event was read from the socket.
 *
 * Order, for each cluster and kind: `apply` and `delete` in the server's order. A completed list ends with one `delete`
 * (`relist: true`) for each key that an earlier list or watch had and this one lacks, and then `synced`. `delete` is
 * never inferred from anything but a completed list or the watch itself.
 */
export type WatchEvent =
  | {
      readonly type: "apply";
      readonly cluster: string;
      readonly session: number;
      readonly kind: Kind;
      readonly key: ObjectKey;
      readonly wire: Wire;
      /** It comes with a list, of which more may come. */
      readonly listed: boolean;
      readonly at: number;
    }
  | {
      readonly type: "delete";
      readonly cluster: string;
      readonly session: number;
      readonly kind: Kind;
      readonly key: ObjectKey;
      readonly at: number;
      readonly relist: boolean;
    }
  /** The kind is listed completely and its deletes have been said: what is held now is the truth. */
  | {
      readonly type: "synced";
      readonly cluster: string;
      readonly session: number;
      readonly kind: Kind;
      readonly at: number;
    }
  /** The kind cannot be seen. What is held of it is unknown, not empty. */
  | {
      readonly type: "degraded";
      readonly cluster: string;
      readonly session: number;
      readonly kind: Kind;
      readonly at: number;
      readonly error: TranslatorError;
    }
  /** Said once a session, before any other event of it: the uid of the namespace `kube-system`. */
  | {
      readonly type: "identity";
      readonly cluster: string;
      readonly session: number;
      readonly uid: string;
      readonly at: number;
    };

/** Health of one kind in one cluster, as `/status` shows it. `since` is wall-clock milliseconds. */
export type KindHealth =
  | { readonly state: "listing"; readonly since: number; readonly objects: number }
  | { readonly state: "synced"; readonly since: number; readonly objects: number }
  | { readonly state: "degraded"; readonly since: number; readonly objects: number; readonly reason: string };
