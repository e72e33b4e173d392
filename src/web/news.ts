/** Views that are loaded again when the server has news of their run. */

import { useEffect, useRef, useState } from "preact/hooks";

/** The last piece of news: the runs that changed, or undefined where any may have changed. `count` tells pieces apart. */
export type News = { readonly count: number; readonly runs: readonly string[] | undefined };

/**
 * Loads a view at first, when `of` changes, and whenever news concern it.
 *
 * News that come while it is being loaded lead to one more load, however many they are: a busy run cannot keep its view from being shown.
 */
export function useView<Data>(
  load: () => Promise<Data>,
  { news, run, of = "" }: { readonly news: News; readonly run?: string; readonly of?: string },
): Data | undefined {
  const [data, setData] = useState<Data | undefined>();
  const latest = useRef(load);
  latest.current = load;
  const work = useRef({ isLoading: false, isWanted: false, isOver: false });
  const isConcerned = news.runs === undefined || run === undefined || news.runs.includes(run);
  const concern = useRef(0);
  if (isConcerned) concern.current = news.count;

  useEffect(() => {
    const own = work.current;
    own.isWanted = true;
    if (own.isLoading) return;
    const renew = async (): Promise<void> => {
      own.isLoading = true;
      while (own.isWanted && !own.isOver) {
        own.isWanted = false;
        const loaded = await latest.current();
        if (!own.isOver) setData(() => loaded);
      }
      own.isLoading = false;
    };
    void renew();
  }, [concern.current, of]);

  useEffect(() => {
    const own = work.current;
    own.isOver = false;
    return () => {
      own.isOver = true;
    };
  }, []);
  return data;
}
