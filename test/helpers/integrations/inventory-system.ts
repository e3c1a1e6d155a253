import type { ServerResponse } from 'node:http';
import { openWebService, type Seen } from '../devices/web-service.ts';
import { task } from '../workflows.ts';

/** The name under which the document is stored: title and version. */
export const INVENTORY = 'Rack Inventory:2.1';

/** An OpenAPI document in the style of an inventory of racks and devices. */
export const inventoryDocument = (more: Record<string, object> = {}) => ({
  openapi: '3.0.3',
  info: { title: 'Rack Inventory', version: '2.1' },
  servers: [{ url: 'https://inventory.example.net/api' }],
  components: { securitySchemes: { tokenAuth: { type: 'apiKey', in: 'header', name: 'X-Token' } } },
  security: [{ tokenAuth: [] }],
  paths: {
    '/dcim/devices/': {
      get: {
        operationId: 'dcim_devices_list',
        parameters: [
          { name: 'name', in: 'query', schema: { type: 'string' } },
          { name: 'per_page', in: 'query', schema: { type: 'integer' } },
        ],
        responses: {},
      },
      post: {
        operationId: 'dcim_devices_create',
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { type: 'object', required: ['name'] } } },
        },
        responses: {},
      },
    },
    '/dcim/devices/{id}/': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
      get: { operationId: 'dcim_devices_retrieve', responses: {} },
      put: {
        operationId: 'dcim_devices_update',
        requestBody: { content: { 'application/json': { schema: { type: 'object' } } } },
        responses: {},
      },
      delete: { operationId: 'dcim_devices_destroy', responses: {} },
    },
    ...more,
  },
});

/** A task of the inventory as an exported workflow has it. */
export const inventoryTask = (
  name: string,
  incoming: Record<string, unknown> = {},
  outgoing: Record<string, unknown> = { response: null },
  app = INVENTORY,
) =>
  task(name, { ...incoming, adapter_id: incoming.adapter_id ?? 'racks' }, outgoing, {
    app,
    location: 'Adapter',
    locationType: app,
    displayName: 'Rack Inventory',
    type: 'automatic',
  });

/** Opens an inventory system; what `answer` does not answer is answered with what was asked. */
export const openInventory = (answer: (seen: Seen, response: ServerResponse) => boolean = () => false) =>
  openWebService((seen, response) => {
    if (answer(seen, response)) return;
    const { method, url, body } = seen;
    response
      .writeHead(200, { 'Content-Type': 'application/json' })
      .end(JSON.stringify({ method, url, body: body === '' ? null : JSON.parse(body) }));
  });

/** The integration `racks` as it is sent to be stored. */
export const inventoryIntegration = (port: number, more: Record<string, unknown> = {}, name = 'racks') => ({
  properties: {
    name,
    type: 'Adapter',
    virtual: true,
    properties: {
      id: name,
      type: INVENTORY,
      properties: {
        server: { protocol: 'http', host: '127.0.0.1', port, base_path: '/api' },
        tls: { enabled: false },
        authentication: { tokenAuth: { value: 'Secret-Token-1' } },
        ...more,
      },
    },
  },
});
