import { useSyncExternalStore } from 'react';
import { problemOf } from '~/api/problem.ts';
import type { Tone } from '../badge.tsx';
import { Button } from '../button.tsx';

type Toast = {
  id: number;
  tone: Tone;
  text: string;
  /** What can be done about it. */
  action?: { label: string; act: () => void } | undefined;
  /** True: only screen readers say it, because the page shows it by itself. */
  isSpoken?: boolean;
};

let toasts: readonly Toast[] = [];
let nextId = 1;
const listeners = new Set<() => void>();

function change(next: readonly Toast[]) {
  toasts = next;
  for (const listener of listeners) listener();
}

const dismiss = (id: number) => change(toasts.filter((toast) => toast.id !== id));

/** Shows a message at the edge of the window and announces it; errors stay until they are dismissed. */
export function showToast(text: string, tone: Tone = 'good', action?: Toast['action']): void {
  const id = nextId++;
  change([...toasts.slice(-3), { id, tone, text, action }]);
  if (tone !== 'bad') setTimeout(() => dismiss(id), 6000);
}

/**
 * Does something, and lets screen readers say that it is done: what a page then shows, such as a dialog that closes, they do
 * not say. Nothing is said beside a message of the work itself.
 *
 * @param text what was done
 */
export async function announced(text: string, work: () => Promise<unknown>): Promise<void> {
  const before = nextId;
  await work();
  if (nextId !== before) return;
  const id = nextId++;
  change([...toasts.slice(-3), { id, tone: 'neutral', text, isSpoken: true }]);
  setTimeout(() => dismiss(id), 6000);
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
      {shown.map(({ id, tone, text, action, isSpoken }) =>
        isSpoken ? (
          <span key={id} className="visually-hidden">
            {text}
          </span>
        ) : (
          <div key={id} className="toast" data-tone={tone}>
            <span>{text}</span>
            <div className="row" aria-live="off">
              {action && <Button onPress={action.act}>{action.label}</Button>}
              <Button variant="quiet" aria-label="Dismiss message" onPress={() => dismiss(id)}>
                ✕
              </Button>
            </div>
          </div>
        ),
      )}
    </section>
  );
}
