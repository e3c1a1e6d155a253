import { createHash } from 'node:crypto';
import type { ComplianceIssue } from '#db/schemas/golden-config/compliance-report.ts';
import type { SeverityCounts } from '../../rules/score.ts';

/**
 * The findings on a device, as they are stored: JSON texts without line breaks, and the SHA-256 of both. Created in the
 * thread that checks the device, as transferring the objects between threads would be costly.
 */
export type StoredFinding = { sha256: string; issues: string; specs: string };

/** Totals of one spec, with its node. */
export type FoundBySpec = SeverityCounts & { specId: string; nodePath: string };

/** Returns findings as they are stored; the order of fields is part of their hash. */
export function findingOf(issues: readonly ComplianceIssue[], specs: readonly FoundBySpec[]): StoredFinding {
  const fields = {
    issues: `[${issues.map(issueText).join(',')}]`,
    specs: JSON.stringify(
      specs.map(({ specId, nodePath, errors, warnings, infos, passes }) => ({
        specId,
        nodePath,
        errors,
        warnings,
        infos,
        passes,
      })),
    ),
  };
  const sha256 = createHash('sha256').update(`${fields.issues}\n${fields.specs}`).digest('hex');
  return { sha256, ...fields };
}

/** Rules are the same objects for a whole fleet: each is serialized once. */
const specTexts = new WeakMap<object, string>();

function issueText({ severity, type, message, spec, specId, ...rest }: ComplianceIssue): string {
  let line = specTexts.get(spec);
  if (line === undefined) {
    line = JSON.stringify(spec);
    specTexts.set(spec, line);
  }
  const head = JSON.stringify({ severity, type, message }).slice(0, -1);
  return `${head},"spec":${line},${JSON.stringify({ specId, ...rest }).slice(1)}`;
}
