-- Returns the company's documents that contain any word of a question but the most common ones of its language, the
-- best first.
create function outbound.search_knowledge(p_company_id uuid, p_question text, p_language regconfig, p_limit int)
returns table (title text, text text, url text)
language sql stable security invoker set search_path = ''
as $$
  with question as (
    select string_agg(
      (plainto_tsquery('simple', word.lexeme) || plainto_tsquery(p_language, word.lexeme))::text, ' | '
    )::tsquery as words
    from unnest(to_tsvector('simple', p_question)) as word
    where to_tsvector(p_language, word.lexeme) <> ''::tsvector
  ),
  best as (
    select d.title, d.content, d.url, d.id, d.language, q.words, ts_rank(d.search, q.words) as rank
    from question as q
    join outbound.knowledge_documents as d on d.search @@ q.words
    where d.company_id = p_company_id
    order by rank desc, d.id
    limit p_limit
  )
  select b.title,
    case when length(b.content) <= 1000 then b.content else ts_headline(
      outbound.text_search_config(b.language), b.content, b.words,
      'MaxFragments=3, MaxWords=60, MinWords=20, StartSel="", StopSel="", FragmentDelimiter=" … "') end,
    b.url
  from best as b order by b.rank desc, b.id
$$;
revoke execute on function outbound.search_knowledge from public;
