-- Folds a text for searching: small letters, no accents, single spaces.
create function outbound.fold_text(p_text text)
returns text
language sql immutable strict parallel safe security invoker set search_path = ''
return btrim(regexp_replace(
  regexp_replace(lower(normalize(p_text, nfkd)), '[\u0300-\u036f]+', '', 'g'), '\s+', ' ', 'g'
));
revoke execute on function outbound.fold_text from public;
