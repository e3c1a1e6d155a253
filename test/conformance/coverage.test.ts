import { expect, test } from 'vitest';
import { exportsFolder } from '../helpers/documents/exported-projects.ts';
import { componentsIn, coverageLines, coverageOf } from './coverage.ts';

const task = (app: string, name: string, incoming: object) => ({
  name,
  app,
  location: 'Application',
  type: 'automatic',
  variables: { incoming, outgoing: {} },
});
const workflowOf = (name: string, tasks: Record<string, object>) => ({
  type: 'workflow' as const,
  document: {
    name,
    tasks: { workflow_start: { name: 'workflow_start' }, ...tasks, workflow_end: { name: 'workflow_end' } },
    transitions: {
      workflow_start: { a: { type: 'standard', state: 'success' } },
      a: { workflow_end: { type: 'standard', state: 'success' } },
    },
  },
});

test('a workflow with an unknown task does not start, nor one whose transformation is not in its project', () => {
  const coverage = coverageOf([
    [
      workflowOf('good', { a: task('NSO', 'syncFrom', { name: 'ce1' }) }),
      workflowOf('strange', { a: task('NSO', 'eraseEverything', {}) }),
      workflowOf('lost', {
        a: task('WorkFlowEngine', 'transformation', { tr_id: '65f0c1d2e3a4b5c6d7e8f901' }),
      }),
    ],
  ]);
  expect(coverageLines(coverage)).toEqual([
    'all tasks known: 2/3',
    'starts: 1/3',
    'unknown: NSO.eraseEverything 1',
  ]);
});

const folder = exportsFolder();
if (!folder) console.warn('coverage of exports: absent (looked for ../shared/data/exports/projects)');

test.runIf(folder)(
  'the real exports name only tasks of applications that are served, or of adapters',
  async () => {
    const coverage = coverageOf(await componentsIn(folder ?? ''));
    console.log(coverageLines(coverage).join('\n'));
    const served =
      /^(AGManager|AutomationGateway|GatewayManager|NSO|NSOManager|ServiceCog|ConfigurationManager|AppArtifacts)\./;
    expect([...coverage.unknown.keys()].filter((one) => served.test(one))).toEqual([]);
    expect(coverage.workflows).toBeGreaterThan(30);
  },
);
