import { z } from 'zod';
import { answer, PlainText } from '#server/kernel/json-text.ts';
import { allow, open, rest, router, signedIn, write } from '#server/kernel/procedures.ts';
import { ADMIN, CONFIG_READ } from '#server/kernel/roles.ts';

/*
 * An area that was never built: its procedures have every shape that a REST face can have, so that the document is
 * right for endpoints that do not exist yet.
 */

const RackId = z
  .string()
  .regex(/^[0-9a-f]{24}$/)
  .meta({ id: 'RackId', description: 'Id of a rack', examples: ['65f0c1d2e3a4b5c6d7e8f901'] });

const Rack = z
  .looseObject({
    _id: RackId.optional(),
    name: z.string().meta({ description: 'Name of the rack', examples: ['row 4'] }),
    height: z.int().min(1).max(60).describe('Height in units'),
    slots: z.array(z.looseObject({ at: z.int(), holds: z.string().nullable() })).optional(),
    labels: z.record(z.string(), z.string()).optional(),
    power: z.union([z.literal('ac'), z.literal('dc'), z.literal(48)]).optional(),
    bolted: z.tuple([z.string(), z.int()]).optional(),
    built: z.iso.datetime().optional(),
  })
  .meta({ id: 'Rack', description: 'A rack and what stands in it.' });

const Site = z
  .looseObject({
    name: z.string(),
    get parts(): z.ZodOptional<z.ZodArray<typeof Site>> {
      return z.array(Site).optional().describe('The places in it');
    },
  })
  .meta({ id: 'Site', description: 'A place, and the places in it.' });

/** Not open itself: an answer is all the same. */
const Row = z
  .object({ name: z.string(), racks: z.array(Rack) })
  .meta({ id: 'Row', description: 'A row of racks.' });

const Fan = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('axial'), blades: z.int() }),
  z.strictObject({ kind: z.literal('radial'), pressure: z.number().positive() }),
]);

const Page = z
  .strictObject({
    skip: z.int().min(0).optional().describe('Racks to leave out'),
    limit: z.int().min(1).max(1000).optional(),
    order: z.union([z.literal(1), z.literal(-1)]).optional(),
    filter: z
      .strictObject({
        name: z.string().optional(),
        size: z.strictObject({ min: z.int().optional() }).optional(),
      })
      .optional()
      .describe('Which racks'),
    sort: z.union([z.string(), z.record(z.string(), z.literal([1, -1]))]).optional(),
    equals: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
    labels: z.array(z.string()).optional(),
    include: z
      .string()
      .optional()
      .meta({ description: 'Members to show', examples: ['name,height'] }),
    exclude: z.string().optional(),
  })
  .refine(({ include, exclude }) => include === undefined || exclude === undefined)
  .meta({ id: 'RackPage' });

const Either = z
  .strictObject({ _id: RackId.optional(), name: z.string().optional() })
  .refine(({ _id, name }) => _id !== undefined || name !== undefined);

/** The area `racks`. */
export const racks = router({
  list: allow(...CONFIG_READ)
    .meta(rest('GET', '/racks', 'Racks'))
    .input(z.strictObject({ queryOptions: Page.optional(), deep: z.boolean().optional() }))
    .output(answer(z.array(Rack)))
    .query(({ input }) => [{ name: JSON.stringify(input), height: 42 }]),
  search: allow(...CONFIG_READ)
    .meta(rest('GET', '/racks/search', 'Racks by any member'))
    .input(
      z.strictObject({
        options: z.looseObject({
          within: Site.optional(),
          since: z.iso.datetime().describe('When at the earliest'),
        }),
      }),
    )
    .output(answer(z.object({ rows: z.array(Row), total: z.int() })))
    .query(() => ({ rows: [], total: 0 })),
  get: allow('admin', 'support', 'other')
    .meta(rest('GET', '/racks/:rackId', 'One rack', { aliases: ['/Racks/:rackId', '/racks/search'] }))
    .input(z.strictObject({ rackId: RackId }))
    .output(answer(Rack))
    .query(() => ({ name: 'row 4', height: 42 })),
  slot: signedIn
    .meta(rest('GET', '/racks/:rackId/slots/:slot/:inside+', 'What stands in a slot'))
    .input(
      z.strictObject({ rackId: RackId, slot: z.int().min(1), inside: z.string().describe('Path inside') }),
    )
    .output(answer(z.unknown()))
    .query(({ input }) => input),
  create: allow(...ADMIN)
    .meta(
      rest('POST', '/racks', 'Make a rack', {
        errorResponses: { 422: 'The row has no room.' },
        bodyLimit: 'import',
      }),
    )
    .input(z.strictObject({ rack: Rack, fans: z.array(Fan).min(2), site: Site.optional(), row: z.null() }))
    .output(answer(Row))
    .mutation(write(async ({ input }) => ({ name: 'row', racks: [input.rack] }))),
  replace: allow(...ADMIN)
    .meta(rest('PUT', '/racks/:id', 'Replace a rack', { bare: 'rack' }))
    .input(z.strictObject({ id: RackId, rack: Rack }))
    .output(answer(Rack))
    .mutation(write(async ({ input }) => input.rack)),
  find: allow(...CONFIG_READ)
    .meta(rest('POST', '/racks/find', 'One rack by id or name'))
    .input(z.strictObject({ options: Either }).meta({ examples: [{ options: { name: 'row 4' } }] }))
    .output(answer(Row))
    .query(() => ({ name: 'row', racks: [] })),
  rename: allow(...ADMIN)
    .meta(
      rest('PATCH', '/racks/:rackId', 'Rename a rack', { statuses: { 200: 'Renamed.', 201: 'Made anew.' } }),
    )
    .input(
      z
        .strictObject({
          rackId: RackId,
          name: z.string().min(3).max(8).optional(),
          tag: z.email().optional(),
        })
        .refine(({ name, tag }) => name !== undefined || tag !== undefined),
    )
    .output(answer(Rack))
    .mutation(
      write(async ({ ctx, input }) => {
        if (input.tag) ctx.answer.status = 201;
        return { name: input.name ?? '', height: 1 };
      }),
    ),
  move: allow(...ADMIN)
    .meta(rest('DELETE', '/racks/:rackId/parts/:part', 'Take a part out'))
    .input(
      z.strictObject({
        rackId: RackId,
        part: z.coerce.string(),
        options: z.strictObject({
          mode: z.enum(['scrap', 'move']),
          to: z.strictObject({ rack: RackId }).optional(),
        }),
      }),
    )
    .output(answer(z.looseObject({ mode: z.string() })))
    .mutation(write(async ({ input }) => ({ mode: input.options.mode }))),
  remove: allow(...ADMIN)
    .meta(rest('DELETE', '/racks/:rack', 'Remove a rack', { statuses: { 204: 'Removed; no body.' } }))
    .input(z.strictObject({ rack: RackId }))
    .output(answer(z.object({})))
    .mutation(write(async () => ({}))),
  label: allow(...CONFIG_READ)
    .meta(rest('GET', '/racks/:rackId/label', 'The label to print', { produces: 'text/plain' }))
    .input(z.strictObject({ rackId: RackId }))
    .output(answer(z.string().meta({ description: 'Text of the label', examples: ['ROW 4'] })))
    .query(() => new PlainText('ROW 4')),
  badge: open
    .meta(
      rest('POST', '/racks/badge', 'Trade a code for a badge', {
        contentTypes: ['application/x-www-form-urlencoded'],
        errorResponses: { 401: 'The code is unknown.' },
        description: 'For door readers.',
      }),
    )
    .input(z.strictObject({ code: z.string().regex(/^\d$/), door: z.uuid().optional() }))
    .output(answer(z.object({ badge: z.string() })))
    .mutation(({ input }) => ({ badge: input.code })),
  ring: open
    .meta(rest('POST', '/racks/ring', 'Ring the bell'))
    .input(z.strictObject({}))
    .output(answer(z.object({ status: z.literal('OK') })))
    .mutation(() => ({ status: 'OK' as const })),
});
