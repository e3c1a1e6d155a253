import { createHash } from 'node:crypto';
import type { Database } from '#db/client.ts';
import type { TreeNodeTarget } from '../runs/run-targets.ts';
import type { ProgramSource, SpecSource } from './program-source.ts';
import {
  DEVICE,
  type DraftTemplate,
  type PlacedSources,
  type RuleSources,
  ruleSourcesAt,
  type StoredRules,
} from './rule-sources.service.ts';

/**
 * Version of the verdicts; part of every program's hash. It is increased when the same rules and text are to be judged
 * differently, so that earlier results are not reused.
 */
const VERDICTS = 1;

/** Facts about a device, for rules that use them. */
export type DeviceFacts = { name: string; groups: readonly string[] };

/** The rules that apply at a tree node. */
export type PlacedRules = {
  deviceType: string;
  /** The name of the grammar that reads the device type. */
  template: string;
  /** The node's own; null when it has none. */
  specId: string | null;
  /** The root's first. */
  inheritedSpecIds: readonly string[];
  /** Whether the rules differ from device to device. */
  readsDevice: boolean;
  /** Returns the program for a device; the same for all devices unless the rules use facts about the device. */
  programFor: (device: DeviceFacts) => ProgramSource;
};

/** The rules at a tree node, or why there are none. */
export type Rules = PlacedRules | { error: string };

/** Returns the current rules at tree nodes. A missing node yields an error that names it; nothing is thrown. */
export const rulesAt = async (db: Database, places: readonly TreeNodeTarget[]): Promise<Rules[]> =>
  rulesFrom(await ruleSourcesAt(db, places));

/** Returns the current rules at a tree node, with a draft in place of the template of one of its specs. */
export async function rulesWithDraft(
  db: Database,
  place: TreeNodeTarget,
  draft: DraftTemplate,
): Promise<Rules> {
  const [rules] = rulesFrom(await ruleSourcesAt(db, [place], draft));
  if (!rules || 'error' in rules) return rules ?? { error: 'its node is unknown' };
  // Results are reused by hash, in which the stored edition of the spec does not say what the draft is.
  const hashed = (sha256: string) =>
    createHash('sha256')
      .update(JSON.stringify([sha256, draft.template]))
      .digest('hex');
  return {
    ...rules,
    programFor: (device) => {
      const program = rules.programFor(device);
      return { ...program, sha256: hashed(program.sha256) };
    },
  };
}

/** Returns the rules at tree nodes as of the time when the sources were read. */
export const rulesFrom = ({ specs, places }: RuleSources): Rules[] =>
  places.map((place): Rules => {
    if ('error' in place) return place;
    const sources = place.nodes.flatMap(({ specId, nodePath }): SourcedProgram[] => {
      const stored = specs[specId];
      return stored ? [{ id: specId, nodePath, ...stored }] : [];
    });
    return rulesOf(sources, place);
  });

type SourcedProgram = SpecSource & StoredRules;

function rulesOf(
  sources: readonly SourcedProgram[],
  { specId, deviceType, parser, variables }: PlacedSources,
): PlacedRules {
  const reads = new Set(sources.flatMap((source) => source.reads));
  const readsDevice = reads.has(DEVICE);
  const made = (all: Readonly<Record<string, unknown>>): ProgramSource => {
    const used = Object.fromEntries(
      [...reads].sort().flatMap((name) => (Object.hasOwn(all, name) ? [[name, all[name]]] : [])),
    );
    const said = sources.map(({ id, rev, nodePath }) => [id, rev, nodePath]);
    const sha256 = createHash('sha256')
      .update(
        JSON.stringify([VERDICTS, parser.template, parser.lexRules ?? null, said, Object.entries(used)]),
      )
      .digest('hex');
    return {
      sha256,
      specs: sources.map(({ id, nodePath, template, lines, ruleSet }) => ({
        id,
        nodePath,
        template,
        lines,
        ruleSet,
      })),
      parser,
      variables: used,
    };
  };
  const shared = readsDevice ? undefined : made(variables);
  return {
    deviceType,
    template: parser.template,
    specId,
    inheritedSpecIds: sources.map(({ id }) => id).filter((id) => id !== specId),
    readsDevice,
    programFor: (device) => shared ?? made({ ...variables, [DEVICE]: device }),
  };
}
