import { z } from 'zod';
import { Tag } from '#db/schemas/assets/tag.ts';
import { optional } from '#db/schemas/fields.ts';
import { Done, Name, ObjectId } from '#db/schemas/primitives.ts';
import {
  createReference,
  createTag,
  deleteTag,
  findTags,
  getTag,
  listTags,
  tagsOf,
  updateTag,
} from '#server/domains/assets/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest, router, write } from '#server/kernel/procedures.ts';
import { STUDIO_READ, STUDIO_READ_OR_WRITE, STUDIO_WRITE } from '#server/kernel/roles.ts';

const description = z.string().nullish().describe('Purpose of the label; null is the same as absent');
const refId = z.string().min(1).max(255).describe('Id of the document, of any kind');

const Link = z.strictObject({ ref_id: refId, tag_id: z.string().describe('Id of the tag') });

export const tags = router({
  listTags: allow(...STUDIO_READ)
    .meta(rest('GET', '/tags/all', 'All tags'))
    .input(z.strictObject({}))
    .output(answer(z.array(Tag)))
    .query(({ ctx }) => listTags(ctx)),

  getTag: allow(...STUDIO_READ)
    .meta(rest('POST', '/tags/get', 'Read a tag'))
    .input(z.strictObject({ id: z.string().describe('Id of the tag') }))
    .output(answer(Tag))
    .query(({ ctx, input }) => getTag(ctx, input.id)),

  getTagsByReference: allow(...STUDIO_READ)
    .meta(rest('POST', '/tags/getTagsByReference', 'The tags of a document'))
    .input(z.strictObject({ data: z.strictObject({ ref_id: refId }) }))
    .output(answer(z.array(Tag)))
    .query(({ ctx, input }) => tagsOf(ctx, input.data.ref_id)),

  findTags: allow(...STUDIO_READ_OR_WRITE)
    .meta(rest('POST', '/tags/find', 'The tag with a name, or null'))
    .input(z.strictObject({ data: z.strictObject({ name: z.string().describe('The complete name') }) }))
    .output(answer(z.array(Tag)))
    .query(({ ctx, input }) => findTags(ctx, input.data.name)),

  createTag: allow(...STUDIO_WRITE)
    .meta(rest('POST', '/tags/create', 'Create a tag'))
    .input(z.strictObject({ data: z.strictObject({ name: Name, description }) }))
    .output(answer(Tag))
    .mutation(write(({ ctx, input }) => createTag(ctx, input.data))),

  createReference: allow(...STUDIO_WRITE)
    .meta(rest('POST', '/tags/createReference', 'Add a tag to a document'))
    .input(z.strictObject({ data: Link }))
    .output(answer(z.object({ ref_id: z.string(), tag_id: ObjectId })))
    .mutation(write(({ ctx, input }) => createReference(ctx, input.data))),

  updateTag: allow(...STUDIO_WRITE)
    .meta(rest('POST', '/tags/update', 'Rename a tag, or change its description'))
    .input(
      z.strictObject({
        _id: z.string().describe('Id of the tag'),
        data: z.strictObject({ name: optional(Name), description }),
      }),
    )
    .output(answer(Tag))
    .mutation(write(({ ctx, input }) => updateTag(ctx, input._id, input.data))),

  deleteTag: allow(...STUDIO_WRITE)
    .meta(rest('POST', '/tags/delete', 'Delete a tag and remove it from all documents'))
    .input(z.strictObject({ _id: z.string().describe('Id of the tag') }))
    .output(answer(Done))
    .mutation(write(({ ctx, input }) => deleteTag(ctx, input._id))),
});
