import type { Trigger } from '#db/schemas/workflow/trigger.ts';
import { invalidRequest } from '#server/kernel/errors.ts';
import { ambiguousIssues, keepSecrets, MASK, mapSecrets, redact } from '#server/kernel/secrets/redact.ts';
import {
  openedDocument,
  placeOf,
  type RowOfSecrets,
  sealingFor,
  withFreshSeals,
} from '#server/kernel/secrets/seals.ts';
import type { Vault } from '#server/kernel/secrets/vault.ts';

/** Form values of a trigger: those that are secret by name are stored sealed, and shown masked. */
type FilledForm = { formData?: Record<string, unknown> | null | undefined };

const formDataOf = (trigger: object): FilledForm['formData'] => (trigger as FilledForm).formData;
const rowOf = (id: string): RowOfSecrets => ['triggers', id];

/** Returns a trigger with its secrets masked, whether it was stored or sent. */
export function shownTrigger<Given extends object>(trigger: Given): Given {
  const formData = formDataOf(trigger);
  return formData ? { ...trigger, formData: redact({ formData }, MASK).formData } : trigger;
}

/**
 * Returns a trigger with its secrets sealed, as it is stored.
 *
 * @param stored the previous version: a mask keeps its secret
 * @throws ServiceError BAD_REQUEST for a mask in a list element that cannot be matched to a stored one
 */
export function sealedTrigger(vault: Vault, trigger: Trigger, stored?: Trigger): Trigger {
  const formData = formDataOf(trigger);
  if (!formData) return trigger;
  const row = rowOf(trigger._id);
  const before = stored && { formData: formDataOf(stored) ?? null };
  const { document, ambiguous } = keepSecrets({ formData }, before, sealingFor(vault, row));
  if (ambiguous.length > 0)
    throw invalidRequest(ambiguousIssues(ambiguous.map((path) => ['trigger', ...path])));
  // Only form values have changed: the type stays.
  return { ...trigger, ...withFreshSeals(vault, row, document) } as Trigger;
}

/** Returns a stored trigger with its secrets decrypted, for a job that it starts, or for a copy of it. */
export function openedTrigger(vault: Pick<Vault, 'open'>, trigger: Trigger): Trigger {
  const formData = formDataOf(trigger);
  if (!formData) return trigger;
  return { ...trigger, ...openedDocument(vault, rowOf(trigger._id), { formData }) } as Trigger;
}

/** Returns form values sent to run a trigger, with masks replaced by the trigger's stored secrets. */
export function withStoredSecrets(
  vault: Vault,
  trigger: Trigger,
  formData: Record<string, unknown>,
): Record<string, unknown> {
  const row = rowOf(trigger._id);
  const before = { formData: formDataOf(trigger) ?? null };
  const { document } = keepSecrets({ formData }, before, (plain, at) => vault.seal(plain, placeOf(row, at)));
  return openedDocument(vault, row, document).formData as Record<string, unknown>;
}

/** Returns a message about masks for which no secret is stored: these secrets stay unset. */
export function unsetSecrets(sent: object, shown: object): string[] {
  const [sentSecrets, kept] = [secretsOf(sent), secretsOf(shown)];
  const unset = [...sentSecrets].filter(([at, value]) => value === MASK.password && kept.get(at) === '');
  return unset.length === 0 ? [] : [`Secrets still to be set: ${unset.map(([at]) => at).join(', ')}`];
}

function secretsOf(trigger: object): Map<string, unknown> {
  const found = new Map<string, unknown>();
  mapSecrets({ formData: formDataOf(trigger) ?? null }, (secret, at) => {
    found.set(at.join('.'), secret);
    return secret;
  });
  return found;
}
