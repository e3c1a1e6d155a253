import { createHash } from 'node:crypto';
import type { Database } from '#db/client.ts';
import { isOtherPlatform, isSamePlatform } from '../../devices/platforms.ts';
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
  /** Whether the rules differ from device to device, here or in one of the sections. */
  readsDevice: boolean;
  /** Returns the program for a device; the same for all devices unless the rules use facts about the device. */
  programFor: (device: DeviceFacts) => ProgramSource;
  /** Rules for the devices of further platforms, by the name of their config parser. */
  sections?: ReadonlyMap<string, Rules> | undefined;
};

/** The rules at a tree node, or why there are none. */
export type Rules = PlacedRules | { error: string };

/** Returns the current rules at tree nodes. A missing node yields an error that names it; nothing is thrown. */
export const rulesAt = async (db: Database, places: readonly TreeNodeTarget[]): Promise<Rules[]> =>
  rulesFrom(await ruleSourcesAt(db, places));

/**
 * Returns the current rules at a tree node, with a draft in place of the template of one of its specs; those for the platform
 * of its section when it is a draft of one.
 */
export async function rulesWithDraft(
  db: Database,
  place: TreeNodeTarget,
  draft: DraftTemplate,
): Promise<Rules> {
  const [placed] = rulesFrom(await ruleSourcesAt(db, [place], draft));
  const isOfSection = draft.section !== undefined && placed !== undefined && !('error' in placed);
  const rules = isOfSection ? placed.sections?.get(draft.section?.name ?? '') : placed;
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
    const main = rulesOf(sourcesOf(specs, place), place);
    const sections = Object.entries(place.sections ?? {}).map(([name, parser]): [string, Rules] => [
      name,
      parser === null
        ? { error: `no parser is named ${name}` }
        : rulesOf(sourcesOf(specs, place, name), { ...place, deviceType: name, parser }),
    ]);
    if (sections.length === 0) return main;
    const readsDevice =
      main.readsDevice || sections.some(([, rules]) => 'readsDevice' in rules && rules.readsDevice);
    return { ...main, readsDevice, sections: new Map(sections) };
  });

/**
 * Returns the rules of a node for a device: those of the section for its platform, or those for the platform of the tree. A
 * device of an unknown platform has the latter.
 *
 * @param platform of the device in the inventory; undefined or empty: unknown
 * @returns undefined when the node has no rules for that platform
 */
export function rulesForPlatform(rules: PlacedRules, platform: string | undefined): Rules | undefined {
  if (!platform) return rules;
  const { sections = new Map<string, Rules>() } = rules;
  const exact = sections.get(platform);
  if (exact) return exact;
  if (!isOtherPlatform(platform, rules.deviceType, rules.template)) return rules;
  return [...sections].find(([name]) => isSamePlatform(name, platform))?.[1];
}

/** Returns why a device of a platform that a node has no rules for is not checked there. */
export const notApplicable = (device: string, platform: string, { deviceType, sections }: PlacedRules) =>
  `device ${device} is of the platform ${platform}, and the tree is for ${[deviceType, ...(sections?.keys() ?? [])].join(', ')}`;

type SourcedProgram = SpecSource & Pick<StoredRules, 'rev' | 'reads'>;

/** Returns the rules of the nodes of a place for one platform. @param section absent: the platform of the tree */
const sourcesOf = (
  specs: RuleSources['specs'],
  { nodes }: PlacedSources,
  section?: string,
): SourcedProgram[] =>
  nodes.flatMap(({ specId, nodePath }): SourcedProgram[] => {
    const stored = specs[specId];
    const rules = section === undefined ? stored : stored?.sections?.[section];
    return stored && rules ? [{ id: specId, nodePath, section, ...rules, rev: stored.rev }] : [];
  });

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
    const said = sources.map(({ id, rev, nodePath, section }) => [
      id,
      rev,
      nodePath,
      ...(section === undefined ? [] : [section]),
    ]);
    const sha256 = createHash('sha256')
      .update(
        JSON.stringify([VERDICTS, parser.template, parser.lexRules ?? null, said, Object.entries(used)]),
      )
      .digest('hex');
    return {
      sha256,
      specs: sources.map(({ id, nodePath, section, template, lines, ruleSet }) => ({
        id,
        nodePath,
        ...(section !== undefined && { section }),
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
