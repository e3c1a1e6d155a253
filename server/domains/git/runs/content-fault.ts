/** A pointer of Git LFS, which is in a repository in place of a file. */
const LFS_POINTER =
  /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:ext-\d-\S+ .*\n)*oid sha256:[0-9a-f]{64}\n/;

/**
 * Returns why the content of a file in a repository cannot be a document; null when it can.
 *
 * @param text the content; null: it is not UTF-8 text
 * @returns what follows the name of the file in a message
 */
export function contentFault(text: string | null): string | null {
  if (text === null) return 'is not UTF-8 text: convert it in the repository';
  if (LFS_POINTER.test(text))
    return 'is a pointer of Git LFS, which is not followed: store the file itself in the repository';
  return null;
}
