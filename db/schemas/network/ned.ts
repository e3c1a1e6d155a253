import { z } from 'zod';

/** A network element driver of an orchestrator (contract/resources#2.12, contract/endpoints#4.17). */
export const Ned = z
  .looseObject({
    ned_id: z.string().meta({
      description: 'Id by which device entries of the orchestrator refer to the driver',
      examples: ['example-ios-cli-6.109:example-ios-cli-6.109'],
    }),
    name: z.string().meta({ description: 'Name of the driver package', examples: ['example-ios-cli-6.109'] }),
    version: z.string().meta({ description: 'Version of the driver package', examples: ['6.109.4'] }),
    host: z.string().meta({ description: 'Orchestrator that has the driver', examples: ['orch-east'] }),
  })
  .meta({
    id: 'Ned',
    description: 'A network element driver: the package with which an orchestrator manages one device type.',
  });
export type Ned = z.infer<typeof Ned>;
