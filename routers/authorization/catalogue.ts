import { z } from 'zod';
import { Method } from '#db/schemas/identity/method.ts';
import { View, ViewsQuery } from '#db/schemas/identity/view.ts';
import { listQuery } from '#db/schemas/query-options.ts';
import { listMethods, listViews } from '#server/domains/identity/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest } from '#server/kernel/procedures.ts';
import { CONFIG_READ } from '#server/kernel/roles.ts';
import { Page } from './answers.ts';

const ListViewsRequest = z.strictObject({
  queryOptions: ViewsQuery.prefault({}).describe('Filters, page and order'),
});

const ListMethodsRequest = z.strictObject({
  queryOptions: listQuery({}).prefault({}).describe('Filters, page and order'),
});

/** The rights that roles can grant: views and methods of the router (contract/endpoints#4.3, contract/lifecycle#3). */
export const catalogue = {
  listViews: allow(...CONFIG_READ)
    .meta(rest('GET', '/authorization/views', 'List views'))
    .input(ListViewsRequest)
    .output(answer(Page(View)))
    .query(({ ctx, input }) => listViews(ctx, input.queryOptions)),

  listMethods: allow(...CONFIG_READ)
    .meta(rest('GET', '/authorization/methods', 'List every endpoint as a permission'))
    .input(ListMethodsRequest)
    .output(answer(Page(Method)))
    .query(({ ctx, input }) => listMethods(ctx, input.queryOptions)),
};
