//! A writer of JSON.

use std::fmt;

pub enum Json {
    Null,
    Bool(bool),
    Integer(i64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(&'static str, Json)>),
}

impl Json {
    pub fn object<const N: usize>(fields: [(&'static str, Json); N]) -> Self {
        Json::Object(Vec::from(fields))
    }

    /// The text with lines indented by one space a level.
    pub fn indented(&self) -> String {
        let mut text = String::new();
        self.write(&mut text, Some(0));
        text
    }

    fn write(&self, out: &mut String, depth: Option<usize>) {
        match self {
            Json::Null => out.push_str("null"),
            Json::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Json::Integer(value) => out.push_str(&value.to_string()),
            Json::Text(value) => write_text(out, value),
            Json::List(values) => {
                let items = values.iter().map(|value| (None, value));
                write_items(out, depth, ['[', ']'], items);
            }
            Json::Object(fields) => {
                let items = fields.iter().map(|(name, value)| (Some(*name), value));
                write_items(out, depth, ['{', '}'], items);
            }
        }
    }
}

fn write_items<'a>(
    out: &mut String,
    depth: Option<usize>,
    brackets: [char; 2],
    items: impl ExactSizeIterator<Item = (Option<&'static str>, &'a Json)>,
) {
    let inner = depth.map(|depth| depth + 1);
    let empty = items.len() == 0;
    out.push(brackets[0]);
    for (i, (name, value)) in items.enumerate() {
        if i > 0 {
            out.push(',');
        }
        new_line(out, inner);
        if let Some(name) = name {
            write_text(out, name);
            out.push_str(if depth.is_some() { ": " } else { ":" });
        }
        value.write(out, inner);
    }
    if !empty {
        new_line(out, depth);
    }
    out.push(brackets[1]);
}

fn new_line(out: &mut String, depth: Option<usize>) {
    if let Some(depth) = depth {
        out.push('\n');
        out.push_str(&" ".repeat(depth));
    }
}

fn write_text(out: &mut String, text: &str) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            control if control < ' ' => out.push_str(&format!("\\u{:04x}", control as u32)),
            other => out.push(other),
        }
    }
    out.push('"');
}

impl fmt::Display for Json {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.write(&mut text, None);
        formatter.write_str(&text)
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Self {
        Json::Bool(value)
    }
}

impl From<i64> for Json {
    fn from(value: i64) -> Self {
        Json::Integer(value)
    }
}

impl From<usize> for Json {
    fn from(value: usize) -> Self {
        // No length of this machine's memory is larger.
        Json::Integer(i64::try_from(value).unwrap_or(i64::MAX))
    }
}

impl From<&str> for Json {
    fn from(value: &str) -> Self {
        Json::Text(value.to_string())
    }
}

impl From<String> for Json {
    fn from(value: String) -> Self {
        Json::Text(value)
    }
}

impl<T: Into<Json>> From<Option<T>> for Json {
    fn from(value: Option<T>) -> Self {
        value.map_or(Json::Null, Into::into)
    }
}

impl<T: Into<Json>> From<Vec<T>> for Json {
    fn from(values: Vec<T>) -> Self {
        Json::List(values.into_iter().map(Into::into).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::Json;

    #[test]
    fn quotes_and_control_characters_are_escaped() {
        let json = Json::object([("a\"b", "c\\\n\u{1}ü".into()), ("n", Json::from(None::<i64>))]);
        assert_eq!(json.to_string(), "{\"a\\\"b\":\"c\\\\\\n\\u0001ü\",\"n\":null}");
    }

    #[test]
    fn a_level_is_indented_by_one_space() {
        let json = Json::object([("a", vec![1i64, 2].into()), ("b", Json::List(Vec::new()))]);
        assert_eq!(json.indented(), "{\n \"a\": [\n  1,\n  2\n ],\n \"b\": []\n}");
    }
}
