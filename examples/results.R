# Read the results of Weatherglass in R, and run it from R.
#
#   Rscript examples/results.R AUDIT [TESTS]
#
# AUDIT is a folder that `weatherglass audit` wrote; its results.parquet has a row for each test.
# TESTS is a file of your own tests, which are run from R on the default vectors.
#
# Packages: arrow reads Parquet; reticulate runs Python. Without arrow, the file is read by the
# Python of Weatherglass. RETICULATE_PYTHON names that Python, such as .venv/bin/python.

arguments <- commandArgs(trailingOnly = TRUE)
if (length(arguments) < 1) stop("Name the folder of an audit: Rscript results.R AUDIT [TESTS]")

# --- Results of the command line -----------------------------------------------------------------

read_results <- function(folder) {
  path <- file.path(folder, "results.parquet")
  if (requireNamespace("arrow", quietly = TRUE)) {
    return(as.data.frame(arrow::read_parquet(path)))
  }
  message("The package arrow is not installed; Python reads the file instead.")
  rows <- reticulate::import("pyarrow.parquet")$read_table(path)$to_pylist()
  columns <- unique(unlist(lapply(rows, names)))
  as.data.frame(sapply(columns, function(name) {
    cells <- lapply(rows, function(row) if (is.null(row[[name]])) NA else row[[name]])
    unlist(cells)
  }, simplify = FALSE), stringsAsFactors = FALSE)
}

results <- read_results(arguments[1])
done <- results[results$status == "done" & !is.na(results$grade), ]
columns <- c("test", "effect", "low", "high", "p", "p_corrected", "grade")
print(done[order(-abs(done$effect)), columns], row.names = FALSE, digits = 3)

# How many findings are clear, by social dimension?
if (nrow(done) > 0) print(table(done$dimension, done$grade))

# --- A test from R -------------------------------------------------------------------------------

if (length(arguments) > 1) {
  wg <- reticulate::import("weatherglass")
  vectors <- wg$open_vectors("default")
  measured <- wg$weat(vectors, arguments[2], baseline = FALSE)
  cat(reticulate::py_str(measured), "\n")
  for (result in reticulate::iterate(measured)) {
    words <- unlist(result$words$X)
    associations <- unlist(result$associations$X)
    cat(result$title, ": effect ", format(result$effect, digits = 3), "\n", sep = "")
    print(head(sort(setNames(associations, words), decreasing = TRUE), 3), digits = 2)
  }
}
