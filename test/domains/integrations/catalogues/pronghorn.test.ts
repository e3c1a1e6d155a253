import { expect, test } from 'vitest';
import { adapterTaskOf, readPronghorn } from '#server/domains/integrations/catalogues/pronghorn.ts';

const FILE = {
  id: '@vendor/adapter-ticket',
  export: 'Ticket',
  type: 'Adapter',
  title: 'Ticket system',
  src: 'adapter.js',
  methods: [
    {
      name: 'getTicket',
      summary: 'Read a ticket',
      description: 'Reads one ticket by its number',
      input: [
        { name: 'number', type: 'string', info: 'Number of the ticket', required: true },
        { name: 'depth', type: 'enum', enumerals: ['short', 'full'], schema: { type: 'string' } },
      ],
      output: { name: 'ticket', type: 'object' },
    },
    { name: 'isAlive', task: false },
    { name: 'iapUpdateAdapterConfiguration', task: true },
    { name: 'getTicketEmit' },
  ],
};

test('a method becomes a task with its arguments in order; methods that the platform may not run are left out', () => {
  const read = readPronghorn(FILE);
  if (!('catalogue' in read)) throw new Error(JSON.stringify(read.issues));
  expect(read.catalogue).toMatchObject({ type: 'Ticket', id: '@vendor/adapter-ticket', src: 'adapter.js' });
  expect(read.catalogue.tasks.map(({ name }) => name)).toEqual(['getTicket']);
  const [task] = read.catalogue.tasks;
  if (!task) throw new Error('no task');
  expect(task.inputs.map(({ name, type, required }) => [name, type, required])).toEqual([
    ['number', 'string', true],
    ['depth', 'enum', false],
  ]);
  expect(adapterTaskOf(read.catalogue, task, { call: { provider: 'none' }, effect: 'unsafe' })).toMatchObject(
    {
      type: 'Ticket',
      displayName: 'Ticket system',
      incoming: {
        number: { required: true, schema: { type: 'string', description: 'Number of the ticket' } },
        depth: { required: false, schema: { type: 'string', enum: ['short', 'full'] } },
      },
      outgoing: { ticket: { type: 'object' } },
    },
  );
});

test('a file that is no catalogue is rejected with every issue and the place of each', () => {
  const broken = {
    ...FILE,
    export: '',
    methods: [{ name: 'no name' }, { name: 'a', input: [{ name: '' }] }],
  };
  const read = readPronghorn(broken);
  const paths = 'issues' in read ? read.issues.map(({ path }) => path.join('.')) : [];
  expect(paths).toEqual(['export', 'methods.0.name', 'methods.1.input.0.name']);
  expect('issues' in readPronghorn(null)).toBe(true);
});
