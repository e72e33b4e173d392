/** Lists whose members are judged by what the store says, one after the other. */

export async function filtered<Member>(
  list: Iterable<Member>,
  is: (member: Member) => Promise<boolean>,
): Promise<readonly Member[]> {
  const found: Member[] = [];
  for (const member of list) if (await is(member)) found.push(member);
  return found;
}

export async function firstOf<Member>(
  list: Iterable<Member>,
  is: (member: Member) => Promise<boolean>,
): Promise<Member | undefined> {
  for (const member of list) if (await is(member)) return member;
  return undefined;
}

/** Asks for all members at the same time; each gives any number of results. */
export async function flatMapped<Member, Result>(
  list: readonly Member[],
  of: (member: Member, index: number) => Promise<Result | readonly Result[]>,
): Promise<Result[]> {
  return (await Promise.all(list.map(of))).flatMap((each) => each);
}
