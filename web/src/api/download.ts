import { OtherAnswer } from './problem.ts';
import { reportSignedOut } from './signed-out.ts';

/**
 * Lets the browser download a file that the server writes; the page holds no part of it. The server is asked first whether it
 * would answer: a browser shows the refusal of a download badly or not at all.
 *
 * @param address path of a GET endpoint
 * @throws OtherAnswer with the message of the server, or for a page of something in front of it; TypeError when it cannot be reached
 */
export async function download(address: string): Promise<void> {
  const { ok, status, headers } = await fetch(address, { method: 'HEAD' });
  if (status === 401) reportSignedOut();
  // No file of the service is a page: it would be saved under the name of the file.
  if (ok && headers.get('content-type')?.startsWith('text/html')) throw new OtherAnswer(status);
  if (!ok) throw await refusalOf(address, status);
  const link = document.createElement('a');
  link.href = address;
  link.download = '';
  link.click();
}

/** Reads why an address is denied: the answer to HEAD has no body. */
async function refusalOf(address: string, status: number): Promise<OtherAnswer> {
  const stopped = new AbortController();
  const response = await fetch(address, { signal: stopped.signal });
  const body: unknown = response.ok ? undefined : await response.json().catch(() => undefined);
  stopped.abort();
  return new OtherAnswer(response.ok ? status : response.status, body);
}
