-- Returns the company's documents that contain any word of a question but the most common ones of its language, the
-- best first, each with its best passages. words: how many words of the question count; found: how many of them, in any
-- form, the document has. By the company's index, not by the one of words, which holds those of all companies.
create function outbound.find_passages(p_company_id uuid, p_question text, p_language regconfig, p_limit int)
returns table (title text, text text, url text, words int, found int)
language sql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
  with word as materialized (
    select plainto_tsquery('simple', w.lexeme) || plainto_tsquery(p_language, w.lexeme) as forms
    from unnest(to_tsvector('simple', p_question)) as w
    where to_tsvector(p_language, w.lexeme) <> ''::tsvector
  ),
  question as materialized (
    select string_agg(w.forms::text, ' | ')::tsquery as any_word, count(*)::int as words from word as w
  ),
  best as materialized (
    select d.title, d.content, d.url, d.id, d.language, d.search, q.any_word, q.words,
      ts_rank(d.search, q.any_word) as rank
    from question as q
    join outbound.knowledge_documents as d on d.search @@ q.any_word
    where d.company_id = p_company_id
    order by rank desc, d.id
    limit p_limit
  )
  select b.title,
    case when length(b.content) <= 1000 then b.content else ts_headline(
      outbound.text_search_config(b.language), b.content, b.any_word,
      'MaxFragments=3, MaxWords=60, MinWords=20, StartSel="", StopSel="", FragmentDelimiter=" … "') end,
    b.url, b.words, (select count(*)::int from word as w where b.search @@ w.forms)
  from best as b order by b.rank desc, b.id
$$;
revoke execute on function outbound.find_passages from public;
