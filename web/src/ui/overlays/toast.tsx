import { useSyncExternalStore } from 'react';
import { problemOf } from '~/api/problem.ts';
import type { Tone } from '../badge.tsx';
import { Button } from '../button.tsx';
import { visibleText } from '../visible-text.ts';

type Toast = { id: number; tone: Tone; text: string };

let toasts: readonly Toast[] = [];
let nextId = 1;
const listeners = new Set<() => void>();

function change(next: readonly Toast[]) {
  toasts = next;
  for (const listener of listeners) listener();
}

const dismiss = (id: number) => change(toasts.filter((toast) => toast.id !== id));

/** Shows a message at the edge of the window and announces it; errors stay until they are dismissed. */
export function showToast(text: string, tone: Tone = 'good'): void {
  const id = nextId++;
  change([...toasts.slice(-3), { id, tone, text }]);
  if (tone !== 'bad') setTimeout(() => dismiss(id), 6000);
}

/** Shows what a failed action said. */
export function showProblem(error: unknown): void {
  const { message, issues, requestId } = problemOf(error);
  const fields = issues.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; ');
  showToast([message, fields, requestId && `(request ${requestId})`].filter(Boolean).join(' '), 'bad');
}

/** The place where messages appear; one in the shell. */
export function Toasts() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );
  return (
    // The attribute keeps messages readable while a dialog is open.
    <section className="toasts" aria-label="Messages" aria-live="polite" data-react-aria-top-layer="true">
      {shown.map(({ id, tone, text }) => (
        <div key={id} className="toast" data-tone={tone}>
          <span>{visibleText(text)}</span>
          <Button variant="quiet" aria-label="Dismiss message" onPress={() => dismiss(id)}>
            ✕
          </Button>
        </div>
      ))}
    </section>
  );
}
