import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';

/** A request of a guide, and the answer that the guide shows below it. */
export type Step = {
  /** Line of the page that the request begins at. */
  line: number;
  /** What a reader pastes into a shell; it may have several lines. */
  request: string;
  /** Empty where the page shows no answer. */
  expected: string;
};

/** A step whose answer is not what the page shows. */
export type Mismatch = Step & { output: string };

/**
 * Returns the requests of a page, in order: lines after `$ ` in code fences marked `sh`, with those that follow a
 * backslash, are in quotes or belong to a here-document (`<<'END'`, `<<END | jq .`). The text between a request and
 * the next one is its answer.
 *
 * @param page Markdown text
 */
export function stepsIn(page: string): Step[] {
  const steps: Step[] = [];
  let isInside = false;
  /** The last request continues in the next line. */
  let isOpen = false;
  /** Line that ends the text which a request writes into a file. */
  let ending: string | undefined;
  for (const [index, line] of page.split('\n').entries()) {
    if (ending === undefined && line.startsWith('```')) {
      isInside = line === '```sh' && !isInside;
      isOpen = false;
      continue;
    }
    if (!isInside) continue;
    const last = steps.at(-1);
    if (last && ending !== undefined) {
      last.request += `\n${line}`;
      if (line === ending) ending = undefined;
      continue;
    }
    if (line.startsWith('$ ')) steps.push({ line: index + 1, request: line.slice(2), expected: '' });
    else if (last && isOpen) last.request += `\n${line}`;
    else if (last) last.expected += `${line}\n`;
    isOpen = (isOpen || line.startsWith('$ ')) && isUnfinished(steps.at(-1)?.request ?? '');
    ending = /^\$ .*<<('?)(\w+)\1(?: .*)?$/.exec(line)?.[2];
  }
  return steps;
}

/** Whether a shell reads on after this text: it ends in a backslash, or in a quote that is not closed. */
const isUnfinished = (request: string) => !/^(?:[^'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")*$/s.test(request);

const ID = /\b[0-9a-f]{24}\b/g;
const HASH = /\b[0-9a-f]{64}\b/g;
const TIME = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;

/** Ids, hashes and times differ from run to run. */
const withoutChance = (value: string) =>
  value.replaceAll(HASH, '<hash>').replaceAll(ID, '<id>').replaceAll(TIME, '<time>').trim();

/**
 * Returns whether an answer has the shape of the expected one: `…` stands for any text, ids, hashes and times for any
 * other, and lines may break elsewhere.
 */
export function hasShape(expected: string, output: string): boolean {
  const pattern = withoutChance(expected)
    .split('…')
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(/\s+/g, '\\s+'))
    .join('[^]*?');
  return new RegExp(`^${pattern}$`).test(withoutChance(output));
}

/** Returns which programs that guides use are not installed. */
export const missingPrograms = (): string[] =>
  ['bash', 'curl', 'jq'].filter((program) => {
    try {
      execFileSync(program, ['--version'], { stdio: 'ignore' });
      return false;
    } catch {
      return true;
    }
  });

/**
 * Runs the requests of a page sequentially in one shell, as a reader would.
 *
 * @param replace address that the page names, and the one to use instead
 * @param folder where files are written; absent: the current one
 * @returns the steps that failed, or whose answer has another shape
 * @throws Error when the shell does not end in time: names the running request and the earlier mismatches
 */
export async function runSteps(
  steps: readonly Step[],
  {
    replace: [from, to],
    timeoutMs,
    folder,
  }: { replace: readonly [string, string]; timeoutMs: number; folder?: string },
): Promise<Mismatch[]> {
  const mark = randomUUID();
  const script = steps
    .map(({ request }) => `${request.replaceAll(from, to)}\nprintf '\\n%s %d\\n' ${mark} $?\n`)
    .join('');
  const shell = spawn('bash', ['-o', 'pipefail', '-c', `exec 2>&1 < /dev/null\n${script}`], {
    ...(folder !== undefined && { cwd: folder }),
    stdio: ['ignore', 'pipe', 'inherit'],
    // A group of its own: what a request left in the background ends with the shell, and lets go of its output.
    detached: true,
  });
  const timer = setTimeout(() => endGroup(shell.pid), timeoutMs);
  const written = await text(shell.stdout).finally(() => clearTimeout(timer));
  endGroup(shell.pid);
  const outputs = written.split(new RegExp(`${mark} (\\d+)\n`));
  const done = (outputs.length - 1) / 2;
  const mismatches = steps.slice(0, done).flatMap((step, index) => {
    const output = outputs[2 * index] ?? '';
    const isRight =
      outputs[2 * index + 1] === '0' && (!step.expected.trim() || hasShape(step.expected, output));
    return isRight ? [] : [{ ...step, output: output.trim() }];
  });
  const open = steps[done];
  if (!open) return mismatches;
  const reported = { before: mismatches, open: { ...open, output: (outputs.at(-1) ?? '').trim() } };
  throw new Error(
    `the shell ended after ${done} of ${steps.length} requests: ${JSON.stringify(reported, null, 1)}`,
  );
}

/** Ends a group of processes unless all of them have ended. */
function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // All of it has ended.
  }
}
