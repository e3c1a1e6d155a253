import { type RegisteredRouter, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';

/** The query of an address: plain texts, so that every link can be read and shared. The routes declare their names. */
export type UrlState = RegisteredRouter['latestLocation']['search'];

/**
 * Returns what a link of the current page has as `search` to change parts of its query.
 *
 * @param change the new texts; undefined removes one
 */
export const searchWith =
  (change: UrlState) =>
  (before: UrlState): UrlState => ({ ...before, ...change });

/**
 * The query of the address and a function that changes parts of it: filters, order and tabs stand there, so that back,
 * reload and a shared link show the same. An empty value removes its name.
 */
export function useUrlState(): [UrlState, (change: UrlState) => void] {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  return [
    search,
    (change) =>
      void navigate({
        to: '.',
        search: searchWith(change),
        replace: true,
      }),
  ];
}

const PAUSE_MS = 200;

/**
 * A parameter of the address as the text of a field. What is typed shows at once and reaches the address when the user
 * pauses, or by `send`: the address changes too late for the field to show it, and keys would be lost.
 *
 * @param fallback the text without the parameter; the address does not name it
 */
export function useUrlText(name: keyof UrlState, fallback = '') {
  const [url, setUrl] = useUrlState();
  const value = url[name] ?? fallback;
  const [text, setText] = useState(value);
  const next = text || fallback;
  // Texts that this field has written to the address, and that have not come back from it yet.
  const sent = useRef<string[]>([]);
  const send = () => {
    if (next === value) return;
    sent.current.push(next);
    setUrl({ [name]: next === fallback ? undefined : next });
  };
  // Back, Forward and saved views change the address, and the field then shows their text. It ignores its own text when that
  // comes back: the user may have typed more since.
  useEffect(() => {
    const own = sent.current.indexOf(value);
    sent.current.splice(0, own < 0 ? sent.current.length : own + 1);
    if (own < 0) setText(value);
  }, [value]);
  useEffect(() => {
    if (next === value || next === sent.current.at(-1)) return undefined;
    const timer = setTimeout(send, PAUSE_MS);
    return () => clearTimeout(timer);
  });
  return { text, setText, send };
}
