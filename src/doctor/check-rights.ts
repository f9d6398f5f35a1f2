import { TranslatorError } from "../errors.ts";
import { fine, wrong } from "./check.ts";
import type { Finding } from "./check.ts";
import { fieldsOf } from "./kube-client.ts";
import type { KubeClient } from "./kube-client.ts";
import type { NeededRight } from "./needed-rights.ts";

const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
/** Questions at once to one cluster. */
const atOnce = 8;

interface Question {
  readonly right: NeededRight;
  readonly verb: string;
  readonly namespace: string | undefined;
}

/** Asks the cluster for each right whether we have it; changes nothing. */
export async function checkRights(client: KubeClient, rights: readonly NeededRight[]): Promise<Finding[]> {
  const questions = rights.flatMap((right) =>
    right.verbs.flatMap((verb) => right.namespaces.map((namespace) => ({ right, verb, namespace }))),
  );
  const denied = new Map<NeededRight, string[]>();
  try {
    while (questions.length > 0)
      for (const { right, said } of await Promise.all(
        questions.splice(0, atOnce).map((question) => ask(client, question)),
      ))
        if (said !== undefined) denied.set(right, [...(denied.get(right) ?? []), said]);
  } catch (error) {
    if (!(error instanceof TranslatorError)) throw error;
    const remedy = "see that the user may create selfsubjectaccessreviews, as everybody may by default";
    return [wrong("rights", `they cannot be asked for: ${error.message}`, remedy)];
  }
  return rights.map((right) => findingOf(right, denied.get(right) ?? []));
}

/** `said`: what is denied; undefined: it is allowed. */
async function ask(
  client: KubeClient,
  { right, verb, namespace }: Question,
): Promise<{ readonly right: NeededRight; readonly said: string | undefined }> {
  const { resource, group, name } = right;
  const resourceAttributes = {
    ...{ verb, group, resource },
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
  };
  const review = { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectAccessReview" };
  const { body } = await client.post(path, { ...review, spec: { resourceAttributes } });
  const allowed = fieldsOf(body["status"])["allowed"] === true;
  const place = namespace === undefined || name !== undefined ? "" : ` in ${namespace}`;
  return { right, said: allowed ? undefined : `${verb}${place}` };
}

function findingOf(
  { resource, group, verbs, title, instead, without, isOptional }: NeededRight,
  denied: string[],
): Finding {
  const check = `rights: ${resource}`;
  const on = title === undefined ? "" : ` on ${title}`;
  const what = `${verbs.join(", ")}${on}`;
  if (denied.length === 0) return fine(check, what);
  const shown =
    denied.length > 5 ? `${denied.slice(0, 5).join(", ")} and ${denied.length - 5} more` : denied.join(", ");
  const qualified = group === "" ? resource : `${resource} of ${group}`;
  const grant = `grant ${verbs.join(", ")} on ${title ?? qualified} (deploy/rbac.yaml)`;
  const remedy = `${grant}${instead === undefined ? "" : `, or ${instead}`}; without: ${without}`;
  if (isOptional === true) return fine(check, `not allowed: ${shown}${on}`, remedy);
  return wrong(check, `not allowed: ${shown}${on}`, remedy);
}
