import type { Database } from '#db/client.ts';
import type { ExportedProject } from '#db/schemas/assets/project.ts';
import { resolve } from '#server/domains/assets/index.ts';
import { type Issue, invalid, refused, ServiceError } from '#server/kernel/errors.ts';
import { mapYielding } from '#server/kernel/timing/map-yielding.ts';
import {
  documentFindings,
  findingsOf,
  type MissingReference,
  MOST_COMPONENTS,
  missingIssue,
  missingOf,
  type ProjectFindings,
  type ValidComponent,
  validComponents,
} from './project-import.ts';

/** A component that could not be imported, with the reasons. */
export type FailedComponent = {
  type: string;
  reference: string;
  iid: number;
  name: string | null;
  issues: Issue[];
};

/** The project's path in the request. */
const TOP = ['project'];

type ProjectImportRequest = {
  project: ExportedProject;
  skipReferenceValidation?: boolean | undefined;
  partial?: boolean | undefined;
};

/**
 * Returns the importable components of a file, those that failed, and warnings.
 *
 * @param targetId the id of the existing project with the file's id
 * @throws ServiceError BAD_REQUEST with every finding, unless only components failed and the import is partial
 */
export async function readComponents(
  db: Database,
  { project, skipReferenceValidation, partial }: ProjectImportRequest,
  targetId: string | null,
): Promise<{ components: ValidComponent[]; failed: FailedComponent[]; warnings: string[] }> {
  if ((project.components ?? []).length > MOST_COMPONENTS) {
    throw invalid([...TOP, 'components'], `must have at most ${MOST_COMPONENTS} entries`, 'too_big');
  }
  const documents = await mapYielding(project.components ?? [], (one, at) =>
    documentFindings(one, [...TOP, 'components', at]),
  );
  const findings = findingsOf(project, documents, TOP);
  let components = validComponents(project, findings);
  const from = project._id;
  if (from !== undefined && !skipReferenceValidation) {
    // A component that fails may be referenced by another, which then fails too.
    for (;;) {
      const missing = await unknownOf(db, missingOf(components, from), targetId === from);
      if (missing.length === 0) break;
      for (const one of missing) {
        const { at } = one.component;
        findings.components.set(at, [...(findings.components.get(at) ?? []), missingIssue(one, TOP)]);
      }
      components = validComponents(project, findings);
    }
  }
  const failed = failedOf(project, findings);
  const issues = [...findings.project, ...failed.flatMap((one) => one.issues)];
  if (findings.project.length > 0 || (failed.length > 0 && !partial)) throw refusedImport(issues, failed);
  return { components, failed, warnings: findings.warnings };
}

/** Maximum number of issues in one error. */
const MOST_ISSUES = 100;

function refusedImport(issues: readonly Issue[], failedComponents: FailedComponent[]): ServiceError {
  const { message } = refused(issues.slice(0, MOST_ISSUES), 'The project cannot be imported');
  const more = issues.length - MOST_ISSUES;
  const rest = more > 0 ? [{ path: [], message: `and ${more} more issues`, code: 'too_many_issues' }] : [];
  return new ServiceError('BAD_REQUEST', message, {
    issues: [...issues.slice(0, MOST_ISSUES), ...rest],
    data: {
      failedComponents: failedComponents.map((one) => ({
        ...one,
        issues: one.issues.slice(0, MOST_ISSUES),
      })),
    },
  });
}

/** Returns those that the existing project does not contain either. */
async function unknownOf(
  db: Database,
  missing: MissingReference[],
  isThere: boolean,
): Promise<MissingReference[]> {
  if (missing.length === 0 || !isThere) return missing;
  const found = await resolve(
    db,
    missing.map(({ reference }) => reference),
  );
  return missing.filter((_, at) => !found[at]);
}

const failedOf = ({ components = [] }: ExportedProject, findings: ProjectFindings): FailedComponent[] =>
  [...findings.components]
    .sort(([one], [other]) => one - other)
    .flatMap(([at, issues]) => {
      const component = components[at];
      if (!component) return [];
      const { type, reference, iid, document } = component;
      const name = typeof document?.name === 'string' ? document.name : null;
      return [{ type, reference, iid, name, issues }];
    });
