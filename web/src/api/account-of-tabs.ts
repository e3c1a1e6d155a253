/** The account as which a browser is signed in; undefined: it has signed out. */
type Account = { id: string; username: string } | undefined;

// The tabs of a browser share one session: who signs in or out in one of them does so in all.
const channel = new BroadcastChannel('switchyard-account');

/** Tells the other tabs of this browser who is signed in. */
export const tellAccount = (account: Account): void => channel.postMessage(account);

/** Calls `listener` when another tab has found who is signed in, or has signed out. @returns removes the listener */
export function onAccountTold(listener: (account: Account) => void): () => void {
  const hear = ({ data }: MessageEvent<Account>) => listener(data);
  channel.addEventListener('message', hear);
  return () => channel.removeEventListener('message', hear);
}
