const listeners = new Set<() => void>();

/** Reports that the server no longer knows the session; the shell then asks for the password over the page. */
export function reportSignedOut(): void {
  for (const listener of listeners) listener();
}

/** Calls `listener` when the session has ended. @returns removes the listener */
export function onSignedOut(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
