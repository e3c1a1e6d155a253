import { secretMask } from '#server/kernel/secrets/secret-texts.ts';
import type { HttpAnswer } from '#server/southbound/http/ports.ts';
import type { OpenIntegration } from '../integration.service.ts';

/** Shortest secret that is masked in an answer: shorter ones also occur by chance (decision 0027). */
const SHORTEST = 8;

/** The bytes of a text, one character each. */
const bytesOf = (text: string) => Buffer.from(text).toString('latin1');

/**
 * Returns a function that masks the secrets of a connection in an answer. Other systems repeat what they were sent, in errors
 * and in headers, and whoever may call an operation may not read the credential.
 *
 * @param tokens access tokens that were sent besides
 */
export function concealing(
  { secrets, connection }: Pick<OpenIntegration, 'secrets' | 'connection'>,
  tokens: Iterable<string>,
): (answer: HttpAnswer) => HttpAnswer {
  const texts = [...secrets, ...tokens].filter(({ length }) => length >= SHORTEST).map(bytesOf);
  if (texts.length === 0) return (answer) => answer;
  const users = Object.values(connection.authentication ?? {}).map(({ username }) =>
    typeof username === 'string' ? bytesOf(username) : '',
  );
  const masks = [...new Set(['', ...users])].map((user) => secretMask(texts, user));
  const masked = (text: string) => masks.reduce((shown, mask) => mask(shown), text);
  return (answer) => {
    const text = answer.bytes.toString('latin1');
    const shown = masked(text);
    const headers = Object.entries(answer.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(masked) : value && masked(value),
    ]);
    return {
      ...answer,
      headers: Object.fromEntries(headers),
      bytes: shown === text ? answer.bytes : Buffer.from(shown, 'latin1'),
    };
  };
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
