import { z } from 'zod';
import { record, recordOrNull, text, textOrNull } from '../fields.ts';
import { ObjectId, Timestamp } from '../primitives.ts';

/** The repository that holds a package (contract/resources#2.10). */
export const Repository = z
  .looseObject({
    type: z.string().meta({ description: 'git or local', examples: ['git'] }),
    hostname: textOrNull('Server of the repository', 'git.example.net'),
    path: textOrNull('Path of the repository on that server', '/network/upgrade'),
  })
  .meta({ id: 'Repository', description: 'The source repository of a package.' });

/** Metadata of a package (contract/resources#2.10; required fields by contract/endpoints#4.12). */
export const PrebuiltMetadata = z
  .looseObject({
    name: z.string().meta({ description: 'Name of the package, unique', examples: ['ios-upgrade'] }),
    version: z.string().meta({ description: 'Semantic version of the package', examples: ['1.2.3'] }),
    description: z.string().describe('What the package does'),
    author: z.string().describe('Author of the package'),
    license: z.string().meta({ description: 'Licence, an SPDX identifier', examples: ['Apache-2.0'] }),
    repository: Repository,
    keywords: z
      .array(z.string())
      .nullable()
      .optional()
      .meta({ description: 'Keywords of the package', examples: [['ios', 'upgrade']] }),
    gitlabId: z.int().nullable().optional().describe('Number of the package’s project on a GitLab server'),
    IAPDependencies: recordOrNull('Packages that this one depends on: name, version range'),
  })
  .meta({ id: 'PrebuiltMetadata', description: 'Metadata of a package.' });

/** One asset that a package lists (contract/resources#2.10, contract/endpoints#4.12). */
export const Artifact = z
  .looseObject({
    id: z
      .string()
      .min(1)
      .meta({
        description: 'Id of the asset: an object id, a UUID, or the name of a template',
        examples: ['65f0c1d2e3a4b5c6d7e8f901'],
      }),
    name: z.string().meta({ description: 'Name of the asset', examples: ['IOS upgrade'] }),
    type: z.string().meta({
      description:
        'Kind of asset: transformation, json-forms, automation, workflow, forms, template, mop-template, mop-analytic-template, golden-config, service-catalog, integration or integration-model',
      examples: ['workflow'],
    }),
    location: text('Path of the asset in the package', '/bundles/workflows/IOS upgrade.json'),
  })
  .meta({ id: 'Artifact', description: 'One asset in the manifest of a package.' });

/** Table of contents of a package (contract/resources#2.10). */
export const Manifest = z
  .looseObject({
    bundleName: z.string().describe('Name of the bundle from which the package was made'),
    artifacts: z.array(Artifact).describe('Assets of the package; each has its document in bundles'),
    fingerprint: z.string().describe('Fingerprint of the content, as its author calculated it'),
    createdEpoch: z.string().meta({
      description: 'When the package was made: milliseconds since 1970, as text',
      examples: ['1767225600000'],
    }),
  })
  .meta({ id: 'Manifest', description: 'Table of contents of a package.' });
export type Manifest = z.infer<typeof Manifest>;

/** One asset in a package (contract/resources#2.10). */
export const Bundle = z
  .looseObject({
    type: z.string().meta({
      description:
        'Kind of asset: integration, integration-model, automation, forms, json-forms, template, transformation, golden-config, mop-analytic-template, mop-template, workflow or service-catalog',
      examples: ['workflow'],
    }),
    data: record('The asset itself, in the form of its own export'),
  })
  .meta({ id: 'Bundle', description: 'One asset in a package.' });
export type Bundle = z.infer<typeof Bundle>;

/** A complete package (contract/resources#2.10; required fields by contract/endpoints#4.12). */
export const Prebuilt = z
  .looseObject({
    metadata: PrebuiltMetadata,
    manifest: Manifest,
    bundles: z.array(Bundle).describe('Assets of the package, one for each artifact of the manifest'),
    readme: z.string().describe('Introduction in Markdown'),
  })
  .meta({
    id: 'Prebuilt',
    description: 'A package of assets that work together.',
    examples: [
      {
        metadata: {
          name: 'ios-upgrade',
          version: '1.2.3',
          description: 'Upgrades IOS devices',
          author: 'Network team',
          license: 'Apache-2.0',
          repository: { type: 'local' },
        },
        manifest: {
          bundleName: 'ios-upgrade',
          artifacts: [{ id: 'IOS precheck', name: 'IOS precheck', type: 'mop-template' }],
          fingerprint: '',
          createdEpoch: '1767225600000',
        },
        bundles: [{ type: 'mop-template', data: { name: 'IOS precheck', commands: [] } }],
        readme: '# IOS upgrade',
      },
    ],
  });
export type Prebuilt = z.infer<typeof Prebuilt>;

/**
 * New parts of an installed package (contract/endpoints#4.8): fields that are set replace the stored ones entirely.
 */
export const PrebuiltUpdate = Prebuilt.partial().meta({
  id: 'PrebuiltUpdate',
  description: 'New parts of a package; parts that are not given are kept.',
});

/** An installed package as lists and reads show it (contract/lifecycle#8). */
export const InstalledPrebuilt = PrebuiltMetadata.partial()
  .extend({
    _id: ObjectId.describe('Id of the installed package'),
    name: z.string().describe('Name of the package'),
    version: z.string().meta({ description: 'Installed version', examples: ['1.2.3'] }),
    components: z
      .array(
        z.looseObject({
          id: text('Id of the asset as installed'),
          name: text('Name of the asset as installed'),
          type: text('Kind of asset', 'workflow'),
        }),
      )
      .optional()
      .describe('Assets of the package'),
    manifest: Manifest.optional().describe('Table of contents of the package'),
    readme: text('Introduction in Markdown'),
    installed: Timestamp.optional().describe('When the package was installed'),
    installedBy: text('Id of the account that installed the package'),
  })
  .meta({ id: 'InstalledPrebuilt', description: 'An installed package.' });
export type InstalledPrebuilt = z.infer<typeof InstalledPrebuilt>;
