import { z } from 'zod';
import { Severity } from '#db/schemas/primitives.ts';
import { arrayKey, type Identities } from '../dialects/json-items.ts';
import { ANY, type JsonPathStep, stepsOf } from '../rule-sources/json-path.ts';

const noPath = (path: unknown) => `${String(path).slice(0, 100)} is not a path such as $.groups[0].name`;
const Path = z
  .string()
  .max(1000)
  .refine((path) => stepsOf(path) !== undefined, { error: ({ input }) => noPath(input) });
const Paths = z.array(Path).max(1000).optional();
const Keys = z.array(z.string().max(1000)).max(1000).optional();

/** Settings for the properties of a JSON template, by their paths (contract/engines#rule-sets). */
const RuleSet = z.looseObject({
  severity: z.looseObject({ error: Paths, warning: Paths, info: Paths }).optional(),
  evalMode: z.looseObject({ required: Paths, disallowed: Paths, ignored: Paths, optional: Paths }).optional(),
  /** Properties that objects must have, must not have, or may have, whatever their value. */
  keysExist: z
    .array(
      z.looseObject({
        path: Path,
        severity: Severity.optional(),
        required: Keys,
        disallowed: Keys,
        ignored: Keys,
      }),
    )
    .max(1000)
    .optional(),
  /** The property that identifies the objects of an array, by the array's path. */
  arrayIdentity: z
    .record(z.string(), z.string())
    .superRefine((identities, { addIssue }) => {
      for (const path of Object.keys(identities)) {
        const read = Path.safeParse(path);
        if (!read.success) addIssue({ code: 'custom', path: [path], message: noPath(path) });
      }
    })
    .optional(),
  /** Objects whose properties may have any name: the template's rules for one property apply to all. */
  dynamicKeys: Paths,
});
export type RuleSet = z.infer<typeof RuleSet>;

/** Parses a stored rule set; returns it, or its faults. */
export function ruleSetOf(
  stored: unknown,
): { ruleSet: RuleSet } | { faults: { path: PropertyKey[]; message: string }[] } {
  const read = RuleSet.safeParse(stored);
  if (read.success) return { ruleSet: read.data };
  return { faults: read.error.issues.map(({ path, message }) => ({ path, message })) };
}

/** Returns the steps of a path that was validated before. */
export const checkedSteps = (path: string): JsonPathStep[] => stepsOf(path) ?? [];

/** Merges the identities of rule sets, the root's first: the last one wins. */
export function identitiesOf(ruleSets: readonly RuleSet[]): Identities {
  const identities = new Map<string, string>();
  for (const { arrayIdentity = {} } of ruleSets) {
    for (const [path, field] of Object.entries(arrayIdentity)) {
      const steps = checkedSteps(path);
      // `$.groups` and `$.groups[*]` both name the array
      if (steps.at(-1) === ANY) steps.pop();
      identities.set(arrayKey(steps.map((step) => (typeof step === 'string' ? step : '*'))), field);
    }
  }
  return identities;
}
