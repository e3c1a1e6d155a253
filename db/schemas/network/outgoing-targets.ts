import { z } from 'zod';

/** A destination to which jobs may send requests (contract/additions#9). */
export const OutgoingTarget = z
  .strictObject({
    host: z
      .string()
      .min(1)
      .max(255)
      .meta({
        description:
          'Name, address, `*.` and a domain for every name below it, or a network; a network also admits names whose every address is inside of it',
        examples: ['api.example.net', '*.example.net', '192.0.2.0/24'],
      }),
    ports: z
      .array(z.int().min(1).max(65535))
      .max(100)
      .optional()
      .meta({ description: 'Ports; absent or empty: all', examples: [[443]] }),
    schemes: z
      .array(z.enum(['https', 'http']))
      .max(2)
      .optional()
      .meta({ description: 'Schemes; absent or empty: both', examples: [['https']] }),
  })
  .meta({ id: 'OutgoingTarget', description: 'A destination that jobs may send requests to.' });
export type OutgoingTarget = z.infer<typeof OutgoingTarget>;

/** All destinations to which jobs may send requests. */
export const OutgoingTargets = z
  .strictObject({
    targets: z.array(OutgoingTarget).max(1000).describe('Destinations; empty: no request may be sent'),
  })
  .meta({ id: 'OutgoingTargets', description: 'Destinations that jobs may send requests to.' });
export type OutgoingTargets = z.infer<typeof OutgoingTargets>;
