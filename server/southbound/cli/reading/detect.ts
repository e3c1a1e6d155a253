import { type Driver, matchesAny } from '../driver.ts';
import { runCommand, type Session } from '../sessions/session.ts';

/** Commands of which every kind of device knows one that tells what it is. */
const ASKED = ['show version', 'show system information', 'display version'];

/**
 * Find out what kind of device a session is with: by how its SSH greets, by its banner, by what it says of itself.
 *
 * @returns undefined when it cannot be told: it is spoken with as any
 */
export async function detect(
  session: Session,
  drivers: ReadonlyMap<string, Driver>,
  { ident, banner }: { ident: string; banner: string },
  signal: AbortSignal,
): Promise<Driver | undefined> {
  const all = [...drivers.values()].sort((a, b) => a.detectOrder - b.detectOrder);
  const byIdent = all.filter((driver) => driver.ident(ident));
  const toldBy = (lines: readonly string[]) =>
    all.find((driver) => lines.slice(0, 100).some((line) => driver.words(line.slice(0, 200))));
  // A shell's greeting stands before many a network system: only the others are sure.
  const [sure] = byIdent.filter(({ abbreviates }) => abbreviates);
  if (sure && byIdent.length === 1 && !sure.identIsShared) return sure;
  const byBanner = toldBy(banner.split('\n'));
  if (byBanner) return byBanner;
  const { text } = session.prompt;
  const own = all.find(
    ({ isByPrompt, promptSources: [first = ''] }) => isByPrompt && matchesAny([first])(text),
  );
  if (own) return own;
  if (isShell(text)) return drivers.get('linux');
  for (const command of ASKED) {
    const { ended, output, refusal } = await runCommand(session, command, { ms: 10_000, signal });
    if (ended !== 'prompt') return undefined;
    const found = toldBy(output.split('\n'));
    if (found) return found;
    if (refusal === null && output.length > 200) break;
  }
  return sure ?? (/[$#%]$/.test(text) ? byIdent[0] : undefined);
}

const isShell = (prompt: string) => /^[^\s@]{1,64}@[\w.-]{1,64}:[~/]\S{0,80} ?[$#]$|^\$$/.test(prompt);
