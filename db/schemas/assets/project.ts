import { z } from 'zod';
import { flag, number, record, text, textOrNull, texts } from '../fields.ts';
import { Author, ObjectId, TagReference, Timestamp } from '../primitives.ts';

/** A member of a project and its role (contract/resources#2.9, contract/decisions#5). */
export const ProjectMember = z
  .looseObject({
    type: z.enum(['account', 'group']).describe('Whether reference is an account or a group'),
    reference: ObjectId.describe('Id of the account or group'),
    role: z
      .enum(['owner', 'editor', 'operator', 'viewer'])
      .describe('owner manages, editor writes, operator runs, viewer reads; each includes those after it'),
    missing: flag('True when the account or group no longer exists'),
    username: text('Sign-in name, when the member is an account'),
    name: text('Name, when the member is a group'),
    provenance: text('Directory of the account or group', 'local'),
  })
  .meta({ id: 'ProjectMember', description: 'An account or group that is a member of a project.' });
export type ProjectMember = z.infer<typeof ProjectMember>;

/** Kinds of asset that a project can hold (contract/decisions#5). */
export const ComponentType = z
  .enum(['workflow', 'template', 'transformation', 'jsonForm', 'mopCommandTemplate', 'mopAnalyticTemplate'])
  .meta({ id: 'ComponentType', description: 'Kind of asset that a project component refers to.' });
export type ComponentType = z.infer<typeof ComponentType>;

/** An asset in a project (contract/resources#2.9). */
export const ProjectComponent = z
  .looseObject({
    iid: z.number().describe('Number of the component within its project; paths name it by this'),
    type: ComponentType,
    reference: z.string().meta({
      description:
        'Id of the asset: a UUID for workflows, else 24 hexadecimal characters or a template’s name',
      examples: ['7c1e4f0a-2b3c-4d5e-8f90-a1b2c3d4e5f6'],
    }),
    folder: text(
      'Folder of the project in which the component is shown, / for the top level',
      '/Software upgrade',
    ),
    name: text(
      'Name of the asset with the prefix of its project; only when a single project is read',
      '@65f0c1d2e3a4b5c6d7e8f901: Upgrade IOS devices',
    ),
  })
  .meta({ id: 'ProjectComponent', description: 'An asset that belongs to a project.' });
export type ProjectComponent = z.infer<typeof ProjectComponent>;

/** A component in the folder tree of a project (contract/lifecycle#5.1). */
const ComponentEntry = z
  .looseObject({
    nodeType: z.literal('component').describe('Marks a component'),
    iid: z.number().describe('Number of the component within the project'),
  })
  .meta({ id: 'ComponentEntry', description: 'A component in the folder tree of a project.' });

/** A folder of a project and its contents (contract/lifecycle#5.1). */
const FolderEntry = z
  .looseObject({
    nodeType: z.literal('folder').describe('Marks a folder'),
    iid: number('Number of the folder, when it has one'),
    name: z.string().describe('Name of the folder'),
    get children(): z.ZodOptional<
      z.ZodArray<z.ZodDiscriminatedUnion<[typeof FolderEntry, typeof ComponentEntry], 'nodeType'>>
    > {
      return z.array(ProjectFolder).optional().describe('Folders and components inside, in display order');
    },
  })
  .meta({ id: 'FolderEntry', description: 'A folder of a project.' });

/** An entry of a project's folder tree (contract/lifecycle#5.1). */
export const ProjectFolder = z.discriminatedUnion('nodeType', [FolderEntry, ComponentEntry]).meta({
  id: 'ProjectFolder',
  description: 'A folder with its contents, or a component shown at that position.',
});
export type ProjectFolder = z.infer<typeof ProjectFolder>;

/** The access lists of a project, derived from its members (contract/resources#2.9, contract/lifecycle#5.1). */
export const AccessControl = z
  .looseObject({
    read: texts('Who may read the project', ['account:65f0c1d2e3a4b5c6d7e8f901']),
    write: texts('Who may change its assets'),
    execute: texts('Who may run its assets'),
    manage: texts('Who may change its members and delete it'),
  })
  .meta({
    id: 'AccessControl',
    description: 'Derived from the members and read-only: entries account:<id> and group:<id>.',
  });
export type AccessControl = z.infer<typeof AccessControl>;

/** A project (contract/resources#2.9, contract/lifecycle#5.1). */
export const Project = z
  .looseObject({
    _id: ObjectId.describe('Id of the project; it begins the names of its assets: @<id>: Name'),
    iid: number('Running number of the project on this system', 12),
    name: z.string().meta({ description: 'Name of the project, unique', examples: ['Software upgrade'] }),
    description: text('Purpose of the project'),
    members: z.array(ProjectMember).optional().describe('Members of the project: accounts and groups'),
    accessControl: AccessControl.optional().describe('Rights of the members; derived and read-only'),
    componentIidIndex: number('Highest component number assigned so far', 7),
    components: z.array(ProjectComponent).optional().describe('Assets of the project'),
    folders: z
      .array(ProjectFolder)
      .nullable()
      .optional()
      .describe('Folders of the assets; null or absent: all at the top level'),
    backgroundColor: text('Background colour of the image, as a hexadecimal web colour', '#FFFFFF'),
    thumbnail: text('Image of the project as a data URL'),
    created: Timestamp.optional().describe('When the project was stored'),
    createdBy: Author.optional().describe('Author of the project'),
    lastUpdated: Timestamp.optional().describe('When the project last changed'),
    lastUpdatedBy: Author.optional().describe('Last editor of the project'),
    versionHistory: z
      .array(
        z.looseObject({
          versionNumber: number('Number of the committed version, counted from 1', 3),
          commitMessage: text('Description of the change by its author'),
          author: text('Who committed the version'),
          branchName: text('Git branch of the commit', 'main'),
        }),
      )
      .optional()
      .describe('Versions committed to the repository of the project'),
    gitConfiguration: z
      .looseObject({
        connectionType: text('Connection to the repository', 'https'),
        repositoryPath: text('Group and name of the repository on its server', 'network/upgrades'),
        branchName: text('Branch of the project', 'main'),
        projectPath: text('Folder of the project inside the repository', '/projects/upgrade'),
      })
      .nullable()
      .optional()
      .describe('Git repository of the project'),
    tags: z.array(TagReference).optional().describe('Labels of the project'),
  })
  .meta({ id: 'Project', description: 'A project: assets that belong together, and their access rights.' });
export type Project = z.infer<typeof Project>;

/** A component with its document (contract/lifecycle#5.1). */
export const ExportedComponent = ProjectComponent.extend({
  document: record('The asset itself: a workflow, template, transformation, form or command template'),
}).meta({ id: 'ExportedComponent', description: 'A project component together with its asset.' });
export type ExportedComponent = z.infer<typeof ExportedComponent>;

/** A project with the documents of its components: the format of exports and imports (contract/lifecycle#5.1). */
export const ExportedProject = Project.extend({
  _id: ObjectId.optional().describe('Id of the project; an import keeps it when it is free'),
  description: textOrNull('Purpose of the project'),
  components: z.array(ExportedComponent).optional().describe('Assets of the project with their documents'),
  referencedComponentHashes: z
    .array(
      z.looseObject({
        type: text('Kind of the asset', 'workflow'),
        reference: text('Id of the asset'),
        name: text('Name of the asset'),
        hash: text('Hash of its content when the project was exported'),
      }),
    )
    .optional()
    .describe('Assets outside the project that its assets reference'),
}).meta({ id: 'ExportedProject', description: 'A project with all its assets, as exported and imported.' });
export type ExportedProject = z.infer<typeof ExportedProject>;
