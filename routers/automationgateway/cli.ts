import { z } from 'zod';
import { Selection } from '#db/schemas/network/selection.ts';
import { noteSent, sendCommand, sendToMany, testHost, withSelection } from '#server/domains/network/index.ts';
import { answer, LINE_TYPES, lines } from '#server/kernel/json-text.ts';
import { allow, outward, rest } from '#server/kernel/procedures.ts';
import { ADMIN } from '#server/kernel/roles.ts';
import { optional } from '../configuration_manager/requests.ts';
import { CommandsSent, Tested } from './cli-answers.ts';

const seconds = z.number().positive().max(3600);

const options = {
  username: optional(z.string().max(255)).describe('Name to sign in with; absent: that of the host'),
  password: optional(z.string().max(20_000)).meta({
    description: 'Password to sign in with; absent: that of the host',
    examples: ['<PASSWORD>'],
  }),
  secret: optional(z.string().max(20_000)).meta({
    description: 'Password that raises the privilege level; absent: that of the host',
    examples: ['<PASSWORD>'],
  }),
  read_timeout: optional(seconds).describe(
    'Time limit of one command in seconds; absent: that of the host, else 60',
  ),
  ssh_profile: optional(z.enum(['modern', 'compatible', 'legacy'])).describe(
    'Offered algorithms; absent: modern, falling back once to older ones, which is remembered',
  ),
  jump_host: optional(z.string().max(255)).describe('Host of the cli inventory to use as jump host'),
};

const Commands = z
  .array(z.string())
  .meta({ description: 'Commands, at most 100, without control characters', examples: [['show version']] });

const Parse = optional(
  z
    .array(
      z.strictObject({
        command: z
          .string()
          .meta({ description: 'Command whose output is parsed', examples: ['show version'] }),
        name: optional(z.string()).meta({
          description: 'Name of a stored TextFSM template',
          examples: ['IOS version'],
        }),
        group: optional(z.string()).describe('Its group, when several have the name'),
        template: optional(z.string().max(200_000)).describe('A TextFSM template, instead of a stored one'),
      }),
    )
    .max(100),
).describe('How outputs are parsed into records');

const ASKED =
  'A command that the device rejects is no error of the call: that command has the status failed, the others are sent.';
const AWAY =
  'A device that cannot be reached, rejects the credential or closes the connection is 502, one that does not respond in time is 504; `reason` has the cause, `partial` the results so far.';

export const cli = {
  sendCommand: allow(...ADMIN)
    .meta(
      rest('POST', '/automationgateway/cli/send_command', 'Run commands on a device', {
        description: `${ASKED} ${AWAY} A host that is not in the inventory is an address, and needs a username and a password.`,
        errorResponses: {
          409: 'The host is of another device_type, or the gateway is stopped.',
          422: 'No driver exists for the device_type.',
          429: 'Too many calls are waiting for the device.',
        },
      }),
    )
    .input(
      z.strictObject({
        cliSendCommandParameters: z.strictObject({
          host: z
            .string()
            .min(1)
            .max(255)
            .meta({
              description: 'Name of a host of the cli inventory, or an address',
              examples: ['edge-1'],
            }),
          commands: Commands,
          connection_options: z
            .strictObject({
              device_type: z
                .string()
                .meta({ description: 'Driver; that of the host', examples: ['cisco_ios'] }),
              ...options,
              port: optional(z.int().min(1).max(65535)).meta({
                description: 'Port; absent: that of the host, else 22',
                override: { default: 22 },
              }),
            })
            .describe('Options of this call; they are not stored'),
        }),
      }),
    )
    .output(answer(CommandsSent))
    .mutation(
      outward(
        ({ ctx, input }) =>
          sendCommand(ctx, input.cliSendCommandParameters, {
            signal: ctx.request.gone(),
            requestId: ctx.request.id,
          }),
        (tx, { cliSendCommandParameters: { host, commands } }, { status, timings }) =>
          noteSent(tx, host, commands, `${status} in ${Math.round(timings.total_ms)} ms`),
      ),
    ),

  sendCommands: allow(...ADMIN)
    .meta(
      rest('POST', '/automationgateway/cli/send_commands', 'Run the same commands on many devices', {
        description: `Returns a line of JSON for each host as it finishes, then one with the totals. ${ASKED} A host that is unknown or fails has a line with its error.`,
        produces: LINE_TYPES[0],
      }),
    )
    .input(
      z
        .strictObject({
          hosts: z
            .array(z.string().min(1).max(255))
            .min(1)
            .max(10_000)
            .optional()
            .meta({ description: 'Names of hosts of the cli inventory', examples: [['edge-1', 'edge-2']] }),
          selection: Selection.optional().describe(
            'Hosts by their properties, besides or instead of `hosts`',
          ),
          commands: Commands,
          parse: Parse,
          options: optional(z.strictObject(options)).describe('Options of this call; they are not stored'),
          concurrency: optional(z.int().min(1).max(64)).describe('Hosts at once; absent: 16'),
        })
        .refine(({ hosts, selection }) => hosts !== undefined || selection !== undefined, {
          path: ['hosts'],
          message: 'is required, unless a selection is sent',
        }),
    )
    .output(
      answer(
        z.string().meta({
          description: 'A line of JSON for each host as it finishes, then one with the totals.',
          examples: [
            '{"host":"edge-1","ok":false,"status":"failed","error":{"code":"NOT_FOUND","message":"Host edge-1 does not exist"}}\n{"done":true,"hosts":1,"ok":0,"failed":1,"total_ms":2}\n',
          ],
        }),
      ),
    )
    .mutation(
      outward(
        async ({ ctx, input }) => {
          const { commands, parse, options = {}, concurrency: atOnce } = input;
          const hosts = await withSelection(ctx, input.hosts, input.selection, 10_000);
          const how = { signal: ctx.request.gone(), requestId: ctx.request.id };
          return lines(ctx.request.face, sendToMany(ctx, { hosts, commands, parse, options, atOnce }, how));
        },
        (tx, { hosts = [], selection, commands }) =>
          noteSent(
            tx,
            selection ? 'a selection of hosts' : `${hosts.length} hosts`,
            commands,
            hosts.slice(0, 5).join(', '),
          ),
      ),
    ),

  testHost: allow(...ADMIN)
    .meta(
      rest('POST', '/automationgateway/inventory/cli/:name/test', 'Test the sign-in to a host', {
        description: 'Failures are described in `detail` and `reason`. The host key is in `hostKey`.',
      }),
    )
    .input(z.strictObject({ name: z.string().describe('Name of the host') }))
    .output(answer(Tested))
    .mutation(
      outward(
        ({ ctx, input }) => testHost(ctx, input.name, ctx.request.gone()),
        (tx, { name }, { ok }) =>
          noteSent(tx, name, [], ok ? 'tested, it responds' : 'tested, it does not respond'),
      ),
    ),
};
