import type { ExportedProject } from '#db/schemas/assets/project.ts';
import { type Issue, invalid, invalidRequest, ServiceError } from '#server/kernel/errors.ts';
import { mapYielding } from '#server/kernel/timing/map-yielding.ts';
import { withCompileErrors } from '../draft-errors.service.ts';
import {
  documentFindings,
  findingsOf,
  MOST_COMPONENTS,
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

/**
 * Returns the importable components of a file, drafts among them, those that failed, and warnings.
 *
 * @param partial whether components that fail are left out
 * @throws ServiceError BAD_REQUEST with every finding, unless only components failed and the import is partial
 */
export async function readComponents(
  project: ExportedProject,
  partial: boolean | undefined,
): Promise<{ components: ValidComponent[]; failed: FailedComponent[]; warnings: string[] }> {
  if ((project.components ?? []).length > MOST_COMPONENTS) {
    throw invalid([...TOP, 'components'], `must have at most ${MOST_COMPONENTS} entries`, 'too_big');
  }
  const documents = await mapYielding(project.components ?? [], (one, at) =>
    documentFindings(one, [...TOP, 'components', at]),
  );
  const findings = findingsOf(project, documents, TOP);
  const components = validComponents(project, findings, documents, TOP);
  const failed = failedOf(project, findings);
  const issues = [...findings.project, ...failed.flatMap((one) => one.issues)];
  if (findings.project.length > 0 || (failed.length > 0 && !partial)) throw importError(issues, failed);
  return { components: await withCompileErrors(components), failed, warnings: findings.warnings };
}

/** Maximum number of issues in one error. */
const MOST_ISSUES = 100;

function importError(issues: readonly Issue[], failedComponents: FailedComponent[]): ServiceError {
  const { message } = invalidRequest(issues.slice(0, MOST_ISSUES), 'The project cannot be imported');
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
