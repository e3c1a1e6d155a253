import { isObject } from '#server/kernel/json/objects.ts';
import type { OrchestratorError } from './ports.ts';

const ERROR_FIELDS = ['error-type', 'error-tag', 'error-path', 'error-message'] as const;

/**
 * Returns the first field with this name, ignoring its module prefix.
 *
 * @param value as JSON.parse returns it; anything but an object has no fields
 */
export function fieldNamed(value: unknown, name: string): unknown {
  if (!isObject(value)) return undefined;
  const key = Object.keys(value).find((one) => one === name || one.endsWith(`:${name}`));
  return key === undefined ? undefined : value[key];
}

/**
 * Returns the errors in a response body: `errors` with or without its module, `error` as one object or a list, JSON or
 * XML. Other text becomes one message (RFC 8040 §7.1; older servers deviate from it).
 *
 * @param content the body, parsed if it was JSON
 */
export function errorsOf(content: unknown): OrchestratorError[] {
  if (typeof content === 'string') return fromText(content);
  const error = fieldNamed(fieldNamed(content, 'errors'), 'error');
  const errors = (Array.isArray(error) ? error : [error]).filter(isObject);
  return errors.map((one) =>
    Object.fromEntries(
      ERROR_FIELDS.flatMap((name) => {
        const value = fieldNamed(one, name);
        return typeof value === 'string' ? [[name, value.slice(0, 2000)]] : [];
      }),
    ),
  );
}

/** Returns the errors as one line of text; "" when they have no message or tag. */
export const sentenceOf = (errors: readonly OrchestratorError[]): string =>
  errors
    .map((error) => error['error-message'] ?? error['error-tag'] ?? '')
    .filter(Boolean)
    .join('; ')
    .slice(0, 2000);

function fromText(text: string): OrchestratorError[] {
  const plain = text.trim();
  if (plain === '') return [];
  if (!plain.startsWith('<')) return [{ 'error-message': plain.slice(0, 2000) }];
  return plain
    .split(/<(?:[\w.-]+:)?error(?=[\s>])[^<>]*>/)
    .slice(1)
    .map((part) =>
      Object.fromEntries(
        ERROR_FIELDS.flatMap((name) => {
          const value = elementIn(part, name);
          return value === undefined ? [] : [[name, value.slice(0, 2000)]];
        }),
      ),
    );
}

/** Returns the text of an XML element. It searches for the delimiters, so that no input can make it slow. */
function elementIn(xml: string, name: string): string | undefined {
  const open = xml.search(new RegExp(`<(?:[\\w.-]{1,40}:)?${name}[\\s>]`));
  if (open < 0) return undefined;
  const start = xml.indexOf('>', open) + 1;
  const end = xml.indexOf('</', start);
  return start === 0 || end < 0 ? undefined : unescaped(xml.slice(start, end).trim());
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

const unescaped = (text: string) =>
  text.replace(/&(lt|gt|quot|apos|amp);/g, (whole, name: string) => ENTITIES[name] ?? whole);
