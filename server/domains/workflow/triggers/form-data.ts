import type { Trigger } from '#db/schemas/workflow/trigger.ts';
import { refused } from '#server/kernel/errors.ts';
import { keepSecrets, MASK, mapSecrets, type Path, redact } from '#server/kernel/secrets/redact.ts';
import {
  openedDocument,
  placeOf,
  type RowOfSecrets,
  sealingFor,
  withFreshSeals,
} from '#server/kernel/secrets/seals.ts';
import type { Vault } from '#server/kernel/secrets/vault.ts';

/** Values that a trigger fills into its form: what is secret by its name among them is stored sealed, and shown masked. */
type FilledForm = { formData?: Record<string, unknown> | null | undefined };

const formDataOf = (trigger: object): FilledForm['formData'] => (trigger as FilledForm).formData;
const rowOf = (id: string): RowOfSecrets => ['triggers', id];

/** A trigger as it may be seen, whether it is the stored one or the one that was sent. */
export function shownTrigger<Given extends object>(trigger: Given): Given {
  const formData = formDataOf(trigger);
  return formData ? { ...trigger, formData: redact({ formData }, MASK).formData } : trigger;
}

/**
 * A trigger as it is stored.
 *
 * @param stored the one that it is written over: a mask keeps its secret
 * @throws ServiceError BAD_REQUEST for a mask in an element of a list that cannot be told from others
 */
export function sealedTrigger(vault: Vault, trigger: Trigger, stored?: Trigger): Trigger {
  const formData = formDataOf(trigger);
  if (!formData) return trigger;
  const row = rowOf(trigger._id);
  const before = stored && { formData: formDataOf(stored) ?? null };
  const { document, ambiguous } = keepSecrets({ formData }, before, sealingFor(vault, row));
  if (ambiguous.length > 0) throw refused(ambiguous.map(toldOf));
  // Only values of the form have changed.
  return { ...trigger, ...withFreshSeals(vault, row, document) } as Trigger;
}

const toldOf = (path: Path) => ({
  path: ['trigger', ...path],
  message: 'stands for a secret of an element that is not stored so: send the secret itself, or null',
  code: 'ambiguous',
});

/** A stored trigger with its secrets open, for a job that it starts, or a copy of it. */
export function openedTrigger(vault: Pick<Vault, 'open'>, trigger: Trigger): Trigger {
  const formData = formDataOf(trigger);
  if (!formData) return trigger;
  return { ...trigger, ...openedDocument(vault, rowOf(trigger._id), { formData }) } as Trigger;
}

/** Values that somebody sent to run a trigger with: a mask stands for the secret that the trigger has there. */
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

/** What is told when masks came where no secret is stored: those stay unset. */
export function unsetSecrets(sent: object, shown: object): string[] {
  const [asked, kept] = [secretsOf(sent), secretsOf(shown)];
  const unset = [...asked].filter(([at, value]) => value === MASK.password && kept.get(at) === '');
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
