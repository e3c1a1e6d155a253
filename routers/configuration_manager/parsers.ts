import { z } from 'zod';
import {
  ConfigParser,
  LexRule,
  ParserQuery,
  ParserTestRequest,
  ParserUpdate,
} from '#db/schemas/golden-config/config-parser.ts';
import { Done, GbacUpdate, Name, ObjectId } from '#db/schemas/primitives.ts';
import { ParserSearch } from '#db/schemas/requests/configuration-search.ts';
import { imported } from '#db/schemas/requests/null-fields.ts';
import {
  createParser,
  deleteParser,
  deleteParsers,
  importParsers,
  listParsers,
  searchParsers,
  testParser,
  updateParser,
} from '#server/domains/golden-config/index.ts';
import { messageWithWarnings } from '#server/domains/identity/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest, write } from '#server/kernel/procedures.ts';
import { CONFIG_READ, CONFIG_WRITE } from '#server/kernel/roles.ts';
import { Deleted, ImportedNames, optional, removed } from './requests.ts';

const PATH = '/configuration_manager/configurations/parser';

/** A parsed line of a configuration, with the lines below it. */
const ShownLine = z
  .object({
    words: z.array(z.string()).meta({ description: 'Its words', examples: [['hostname', 'edge-1']] }),
    get children(): z.ZodArray<typeof ShownLine> {
      return z.array(ShownLine).describe('The lines below it');
    },
  })
  .meta({ id: 'ShownLine', description: 'A parsed line of a configuration.' });

export const parsers = {
  listParsers: allow(...CONFIG_READ)
    .meta(rest('GET', PATH, 'The config parsers; X-Total-Count has the total number of matches'))
    .input(z.strictObject({ options: ParserQuery.optional().describe('Filter, page and order') }))
    .output(answer(z.array(ConfigParser)))
    .query(({ ctx, input }) => listParsers(ctx, input.options ?? {})),

  createParser: allow(...CONFIG_WRITE)
    .meta(rest('POST', PATH, 'Create a config parser based on a built-in one'))
    .input(
      z.strictObject({
        name: Name.describe('Name of the parser, unique'),
        template: z.string().meta({
          description: 'Built-in parser that it extends',
          examples: ['cisco-ios'],
        }),
        lexRules: optional(z.array(LexRule)).describe('Its rules; absent: those of the built-in parser'),
        gbac: optional(GbacUpdate).describe('Groups that may see and change the parser'),
      }),
    )
    .output(answer(z.object({ parser: ConfigParser })))
    .mutation(write(({ ctx, input }) => createParser(ctx, input))),

  searchParsers: allow(...CONFIG_READ)
    .meta(rest('POST', `${PATH}/search`, 'Find a config parser by its id or name'))
    .input(ParserSearch)
    .output(
      answer(
        z.object({
          parser: ConfigParser.nullable().describe('The parser with exactly this id or name, or null'),
          list: z.array(ConfigParser).describe('Parsers whose name contains the text'),
          total: z.int().describe('Total number of these parsers'),
        }),
      ),
    )
    .query(({ ctx, input }) => searchParsers(ctx, input)),

  testParser: allow(...CONFIG_READ)
    .meta(
      rest('POST', `${PATH}/test`, 'Parse a text with a config parser', {
        errorResponses: { 422: 'Parsing the text exceeds the limit of time or memory.' },
      }),
    )
    .input(ParserTestRequest)
    .output(
      answer(
        z.object({
          lines: z.array(ShownLine).describe('The lines at the top level'),
          warnings: z
            .array(
              z.object({
                line: z.int().describe('Number of the line, from 1'),
                reason: z.string().describe('Why it was kept unparsed'),
              }),
            )
            .describe('Lines that the parser could not parse'),
        }),
      ),
    )
    .query(({ ctx, input }) => testParser(ctx, input)),

  updateParser: allow(...CONFIG_WRITE)
    .meta(rest('PUT', PATH, 'Change a config parser'))
    .input(
      z
        .strictObject({
          name: optional(z.string()).describe('Name of the parser, when no id is given'),
          id: optional(z.string()).describe('Id of the parser, when no name is given'),
          options: ParserUpdate,
        })
        .meta({ examples: [{ name: 'Edge routers', options: { template: 'cisco-ios' } }] }),
    )
    .output(answer(Done))
    .mutation(
      write(async ({ ctx, input: { options, ...key } }) => {
        await updateParser(ctx, key, options);
        return {
          status: 'success' as const,
          message: `Updated parser ${options.name ?? key.name ?? key.id}`,
        };
      }),
    ),

  deleteParser: allow(...CONFIG_WRITE)
    .meta(rest('DELETE', PATH, 'Delete a config parser that no tree uses'))
    .input(
      z.strictObject({
        name: z.string().describe('Name of the parser'),
        options: z.strictObject({}).optional().describe('No options exist'),
      }),
    )
    .output(answer(Done))
    .mutation(
      write(async ({ ctx, input }) => {
        await deleteParser(ctx, input.name);
        return { status: 'success' as const, message: `Deleted parser ${input.name}` };
      }),
    ),

  deleteParsers: allow(...CONFIG_WRITE)
    .meta(rest('DELETE', '/configuration_manager/configurations/parsers', 'Delete config parsers'))
    .input(z.strictObject({ parserIds: z.array(ObjectId).describe('Ids of the parsers') }))
    .output(answer(Deleted))
    .mutation(write(async ({ ctx, input }) => removed(await deleteParsers(ctx, input.parserIds)))),

  importParsers: allow(...CONFIG_WRITE)
    .meta(
      rest('POST', '/configuration_manager/import/parsers', 'Import config parsers', { bodyLimit: 'import' }),
    )
    .input(z.strictObject({ parsers: z.array(imported(ConfigParser)).describe('Parsers to import') }))
    .output(answer(ImportedNames))
    .mutation(
      write(async ({ ctx, input }) => {
        const { data, warnings } = await importParsers(ctx, input.parsers);
        const message = `Imported ${data.length} ${data.length === 1 ? 'parser' : 'parsers'}`;
        return { status: 'success' as const, message: messageWithWarnings(message, warnings), data };
      }),
    ),
};
