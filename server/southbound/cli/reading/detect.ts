import { type Driver, matchesAny } from '../driver.ts';
import { runCommand, type Session } from '../sessions/session.ts';

/** Commands to identify a device; every kind of device knows one of them. */
const ASKED = ['show version', 'show system information', 'display version'];

/**
 * Detects the kind of device from its SSH identification, its banner and its own description.
 *
 * @param drivers every driver, by device type
 * @param ident software that the device names in its SSH identification
 * @param banner text that the device shows before the sign-in
 * @returns undefined when the kind is unknown; the session then uses the generic driver
 */
export async function detect(
  session: Session,
  drivers: ReadonlyMap<string, Driver>,
  { ident, banner }: { ident: string; banner: string },
  signal: AbortSignal,
): Promise<Driver | undefined> {
  const all = [...drivers.values()].sort((a, b) => a.detectOrder - b.detectOrder);
  const byIdent = all.filter((driver) => driver.ident(ident));
  const typeFrom = (lines: readonly string[]) =>
    all.find((driver) => lines.slice(0, 100).some((line) => driver.words(line.slice(0, 200))));
  // Many network systems have the SSH identification of a shell's server, so only the other identifications are conclusive.
  const [sure] = byIdent.filter(({ abbreviates }) => abbreviates);
  if (sure && byIdent.length === 1 && !sure.identIsShared) return sure;
  const byBanner = typeFrom(banner.split('\n'));
  if (byBanner) return byBanner;
  const { text } = session.prompt;
  const own = all.find(
    ({ isByPrompt, promptSources: [first = ''] }) => isByPrompt && matchesAny([first])(text),
  );
  if (own) return own;
  if (isShell(text)) return drivers.get('linux');
  for (const command of ASKED) {
    const { ended, output, rejection } = await runCommand(session, command, { ms: 10_000, signal });
    if (ended !== 'prompt') return undefined;
    const found = typeFrom(output.split('\n'));
    if (found) return found;
    if (rejection === null && output.length > 200) break;
  }
  return sure ?? (/[$#%]$/.test(text) ? byIdent[0] : undefined);
}

const isShell = (prompt: string) => /^[^\s@]{1,64}@[\w.-]{1,64}:[~/]\S{0,80} ?[$#]$|^\$$/.test(prompt);
