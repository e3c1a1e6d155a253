import { type ConfigLine, insertLine } from './configuration-tree.ts';

/** A mode of a command line whose lines nest in sections. */
export type Mode = {
  /** Lines that the mode accepts; all others belong to a mode above it. */
  accepts: RegExp;
  sections?: readonly Section[];
};

/** A mode that a line opens. */
export type Section = Mode & {
  opens: RegExp;
  /** What the prompt shows; `$1` and so on stand for groups of `opens`. */
  prompt: string;
};

/** Lines of an operating system that nest in modes. */
export type ModeGrammar = {
  kind: 'modes';
  top: Mode;
  /** Takes a line back. */
  negation: string;
  /** Leaves one section. */
  exit: RegExp;
  /** Lines that exist once in their section: the first group identifies them. */
  single: RegExp;
  /** Lines whose absence is shown as their negation. */
  shownNegated?: RegExp;
};

/** Where a session is: the sections that it entered, from the outermost on. */
export type Place = { node: ConfigLine; section: Section; prompt: string }[];

/**
 * Enters a line in the mode where it belongs: the current section, or the nearest above it that accepts it.
 *
 * @returns false for a line that no mode accepts
 */
export function enterModeLine(grammar: ModeGrammar, root: ConfigLine[], place: Place, line: string): boolean {
  const negated = line.startsWith(grammar.negation);
  const body = negated ? line.slice(grammar.negation.length) : line;
  for (let depth = place.length; depth >= 0; depth--) {
    const at = place[depth - 1];
    const mode: Mode = at?.section ?? grammar.top;
    const lines = at?.node.children ?? root;
    const section = mode.sections?.find(({ opens }) => opens.test(body));
    if (!section && !mode.accepts.test(body)) continue;
    place.length = depth;
    if (negated) removeLine(grammar, lines, body);
    else if (section) {
      let node = lines.find(({ text }) => text === body);
      if (!node) {
        node = { text: body, children: [] };
        insertLine(lines, node);
      }
      place.push({ node, section, prompt: body.replace(section.opens, section.prompt) });
    } else setLine(grammar, lines, body);
    return true;
  }
  return false;
}

function setLine({ single, negation, shownNegated }: ModeGrammar, lines: ConfigLine[], body: string): void {
  if (lines.some(({ text }) => text === body)) return;
  const node = { text: body, children: [] };
  const key = single.exec(body)?.[1];
  const replaced = lines.findIndex(
    ({ text }) =>
      (key !== undefined && single.exec(text.replace(negation, ''))?.[1] === key) ||
      (shownNegated?.test(body) && text === `${negation}${body}`),
  );
  if (replaced >= 0) lines.splice(replaced, 1, node);
  else insertLine(lines, node);
}

function removeLine({ negation, shownNegated }: ModeGrammar, lines: ConfigLine[], body: string): void {
  const kept = lines.filter(({ text }) => text !== body && !text.startsWith(`${body} `));
  lines.splice(0, lines.length, ...kept);
  const negated = { text: `${negation}${body}`, children: [] };
  if (shownNegated?.test(body) && !lines.some(({ text }) => text === negated.text))
    insertLine(lines, negated);
}
