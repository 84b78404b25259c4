/** The anchor of a heading, as GitHub makes it: the same link works in the repository and on the site. */
export function slug(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{Letter}\p{Mark}\p{Number}\p{Connector_Punctuation} -]/gu, '')
    .replaceAll(' ', '-');
}
