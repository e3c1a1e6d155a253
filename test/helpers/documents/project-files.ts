import type { ComponentType, ProjectFolder } from '#db/schemas/assets/project.ts';
import { asset, childJob, objectId, STORED, task, uuid, workflow } from './assets.ts';

/** A project file with one asset of every kind; the workflow names all the others. */
export function fileOf(name: string): ProjectFile {
  const _id = objectId();
  const [parent, child, form, builder, config] = [uuid(), uuid(), objectId(), objectId(), objectId()];
  const own = (called: string) => `@${_id}: ${called}`;
  const stamps = { created: '2026-01-01T00:00:00.000Z', lastUpdated: '2026-01-02T00:00:00.000Z' };
  const author = { _id: objectId(), provenance: 'Elsewhere', username: 'somebody@elsewhere' };
  const part = (iid: number, type: ComponentType, reference: string, folder: string, document: object) => ({
    iid,
    type,
    reference,
    folder,
    document: document as Record<string, unknown> & { name: string },
  });
  return {
    _id,
    name,
    description: 'An invented project',
    iid: 7,
    backgroundColor: '#FFFFFF',
    ...stamps,
    createdBy: author,
    lastUpdatedBy: author,
    folders: [
      { nodeType: 'folder', name: 'Main', children: [{ nodeType: 'component', iid: 0 }] },
      { nodeType: 'component', iid: 9 },
      {
        nodeType: 'folder',
        name: 'Parts',
        children: [3, 4, 5, 6, 7].map((iid) => ({ nodeType: 'component' as const, iid })),
      },
      { nodeType: 'folder', name: 'Empty', children: [] },
    ],
    components: [
      part(
        0,
        'workflow',
        parent,
        '/Main',
        workflow(
          'Parent',
          [
            childJob(own('Child'), { check: { task: 'static', value: own('Check') } }),
            task('ShowJSONForm', { formId: form }),
            task('transformation', { tr_id: builder }),
            task('RunCommandTemplate', { template: own('Check') }),
            task('runAnalyticsTemplate', { analytic_template_name: own('Compare') }),
            task('renderJinjaTemplate', { name: own('Config') }),
          ],
          {
            ...STORED,
            created: stamps.created,
            created_by: author,
            last_updated: stamps.lastUpdated,
            last_updated_by: author,
            oddity: [1, { kept: null }],
          },
        ),
      ),
      part(9, 'workflow', child, '/', workflow('Child', [], STORED)),
      part(3, 'jsonForm', form, '/Parts', asset('jsonForm', 'Form', { id: form, ...stamps })),
      part(
        4,
        'transformation',
        builder,
        '/Parts',
        asset('transformation', 'Builder', { _id: builder, ...stamps, createdBy: author }),
      ),
      part(
        5,
        'mopCommandTemplate',
        own('Check'),
        '/Parts',
        asset('mopCommandTemplate', 'Check', { created: 1767225600000, createdBy: null }),
      ),
      part(6, 'mopAnalyticTemplate', own('Compare'), '/Parts', asset('mopAnalyticTemplate', 'Compare')),
      part(
        7,
        'template',
        config,
        '/Parts',
        asset('template', 'Config', { _id: config, tags: [{ _id: objectId(), name: 'lab' }] }),
      ),
    ],
  };
}
type ProjectFile = {
  _id: string;
  name: string;
  folders: ProjectFolder[] | null;
  components: Part[];
  [member: string]: unknown;
};
type Part = {
  iid: number;
  type: ComponentType;
  reference: string;
  folder: string;
  document: Record<string, unknown> & { name: string };
};
