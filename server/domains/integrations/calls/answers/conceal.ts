import type { IntegrationConnection } from '#db/schemas/network/integration-connection.ts';
import { MASKED, secretForms } from '#server/kernel/secrets/secret-texts.ts';
import type { HttpAnswer } from '#server/southbound/http/ports.ts';

/** Shortest secret that is masked in an answer: shorter ones also occur by chance (decision 0027). */
const SHORTEST = 8;

type Answered = { url: string; answer: HttpAnswer };

/**
 * Returns a function that masks the secrets of a connection in an answer and its URL. Other systems repeat what they were
 * sent, in errors and in headers, and whoever may call an operation may not read the credential.
 *
 * @param tokens access tokens that were sent besides
 */
export function concealing(
  { secrets, connection }: { secrets: readonly string[]; connection: IntegrationConnection },
  tokens: Iterable<string>,
): (answered: Answered) => Answered {
  const texts = [...secrets, ...tokens].filter(({ length }) => length >= SHORTEST);
  if (texts.length === 0) return (answered) => answered;
  const users = Object.values(connection.authentication ?? {}).flatMap(({ username }) =>
    typeof username === 'string' ? [username] : [],
  );
  const forms = secretForms(texts, ['', ...users]);
  const masked = (text: string) => forms.reduce((shown, form) => shown.replaceAll(form, MASKED), text);
  return ({ url, answer }) => {
    const headers = Object.entries(answer.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(masked) : value && masked(value),
    ]);
    const bytes = withoutForms(answer.bytes, forms);
    return { url: masked(url), answer: { ...answer, headers: Object.fromEntries(headers), bytes } };
  };
}

/** Returns a body without these texts; the same one when it has none of them: only looking for them is fast. */
function withoutForms(bytes: Buffer, forms: readonly string[]): Buffer {
  const found = forms.map((form) => Buffer.from(form)).filter((form) => bytes.includes(form));
  if (found.length === 0) return bytes;
  // One character for each byte: no other byte changes.
  const text = bytes.toString('latin1');
  return Buffer.from(
    found.reduce((shown, form) => shown.replaceAll(form.toString('latin1'), MASKED), text),
    'latin1',
  );
}

/**
 * Returns the texts of a document that are sealed, or references, as it is stored.
 *
 * @param stored the document as it is stored
 * @param opened the same with its secrets
 */
export function secretsOf(stored: unknown, opened: unknown): string[] {
  if (typeof opened === 'string') return opened === stored ? [] : [opened];
  if (typeof opened !== 'object' || opened === null) return [];
  const before = typeof stored === 'object' && stored !== null ? (stored as Record<string, unknown>) : {};
  return Object.entries(opened).flatMap(([name, value]) => secretsOf(before[name], value));
}
