import { z } from 'zod';
import { Timestamp } from '../primitives.ts';
import { AdapterTypeName, DescribedTask } from './adapter-catalogue.ts';

/** An adapter package as an operator added it (docs/adapters.md). */
export const AdapterPackage = z
  .looseObject({
    type: AdapterTypeName.describe('The adapter type: `export` of the package'),
    package: z
      .string()
      .meta({ description: 'Name of the package', examples: ['@vendor/adapter-servicenow'] }),
    title: z.string().describe('Name of the adapter for people'),
    version: z.string().meta({ description: 'Version of the package', examples: ['2.8.1'] }),
    license: z.string().describe('License that the package names'),
    entry: z.string().meta({ description: 'File that exports the class', examples: ['adapter.js'] }),
    digest: z.string().describe('SHA-256 over the files of the package'),
    schema: z.record(z.string(), z.unknown()).describe('JSON schema of the connection'),
    secrets: z
      .array(z.array(z.string()))
      .describe('Paths of the fields of the connection that are secrets besides those whose names say so'),
    brokers: z.array(z.string()).describe('Methods for devices that it has'),
    taskCount: z.int().min(0).describe('Number of its tasks'),
    created: Timestamp.describe('When it was added'),
  })
  .meta({ id: 'AdapterPackage', description: 'An adapter package of this installation.' });
export type AdapterPackage = z.infer<typeof AdapterPackage>;

/** An adapter package with its tasks. */
export const AdapterPackageWithTasks = AdapterPackage.extend({
  tasks: z
    .array(
      DescribedTask.extend({
        effect: z
          .enum(['read', 'keyed', 'unsafe'])
          .describe('keyed: it may be repeated; unsafe: it is never repeated after an interruption'),
      }),
    )
    .describe('Its tasks, in the order of its file'),
}).meta({ id: 'AdapterPackageWithTasks', description: 'An adapter package and its tasks.' });
export type AdapterPackageWithTasks = z.infer<typeof AdapterPackageWithTasks>;

/** A line of the log of an adapter. */
export const PackageLogLine = z
  .looseObject({
    time: Timestamp.describe('When it was written'),
    level: z.string().meta({
      description: 'How serious it is: `trace`, `debug`, `info`, `warn` or `error`',
      examples: ['info'],
    }),
    message: z.string().describe('What it says, at most 4,096 characters, without secrets'),
  })
  .meta({ id: 'PackageLogLine', description: 'A line of the log of an adapter.' });
