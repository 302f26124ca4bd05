// The data set's reader: what it accepts, and every way in which a file can be wrong.
#include <zlib.h>

#include "host/config/dataset.h"
#include "testbenches/lib/catch.h"
#include "testbenches/lib/temporary_folder.h"

using namespace waferloom::config;
using waferloom::test::TemporaryFolder;

namespace {

Data data_at(const std::filesystem::path& path, int train, int test = 0) {
  Data data;
  data.path = path;
  data.file = path.filename().string();
  data.train_rows = train;
  data.test_rows = test;
  data.value_min = 0;
  data.value_max = 16;
  data.scale = 0.5;
  return data;
}

std::string zipped(const std::string& text) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "x.gz").string();
  gzFile out = gzopen(path.c_str(), "wb");
  gzwrite(out, text.data(), static_cast<unsigned>(text.size()));
  gzclose(out);
  return waferloom::test::read_file(path);
}

// The one error of loading `bytes` with two features and three classes, without the folder's name.
std::string error_of(const std::string& bytes, int train = 2, int test = 0) {
  const TemporaryFolder folder;
  const Result<Dataset> result = load_dataset(data_at(folder.write("d.csv", bytes), train, test), 2, 3);
  if (result.ok()) return "no error";
  std::string text = render(result.errors());
  return text.substr(folder.path().string().size() + 1);
}

const std::string kGood = "1,2,0\n3,4,1\n5,6,2\n7,8,0\n";

}  // namespace

TEST_CASE("plain and packed files give the same rows, scaled and split") {
  const TemporaryFolder folder;
  for (const std::filesystem::path& file : {folder.write("a.csv", kGood), folder.write("b.csv.gz", zipped(kGood))}) {
    const Result<Dataset> set = load_dataset(data_at(file, 3), 2, 3);
    REQUIRE(set.ok());
    CHECK(set->train.rows() == 3);
    CHECK(set->test.rows() == 1);
    CHECK(set->train.labels == std::vector<int>{0, 1, 2});
    CHECK(set->train.values == std::vector<float>{0.5F, 1, 1.5F, 2, 2.5F, 3});
    CHECK(set->test.row(0)[1] == 4.0F);
  }
}

TEST_CASE("a value that binary16 cannot hold once it is scaled is refused where it stands") {
  const TemporaryFolder folder;
  const auto load = [&](const std::string& bytes, double scale) {
    Data data = data_at(folder.write("d.csv", bytes), 2, 1);
    data.value_min = -1e31;
    data.value_max = 1e31;
    data.scale = scale;
    const Result<Dataset> set = load_dataset(data, 2, 3);
    return set.ok() ? std::string() : render(set.errors()).substr(folder.path().string().size() + 1);
  };
  const std::string head = "1,2,0\n3,4,1\n";
  CHECK(load(head + "5,1e5,2\n", 1).find("d.csv:3:3: error: the value 1e5 is 100000 after `scale`; activations are binary16 and hold -65504 to 65504\n") == 0);
  CHECK(load(head + "-1e30,6,2\n", 1).find("d.csv:3:1: error: the value -1e30 is ") == 0);
  CHECK(load(head + "5,1e5,2\n", 1).find("hint: data.scale is 1:") != std::string::npos);
  CHECK(load(head + "5,1e5,2\n", 0.5).empty());
  // The largest number that rounds to a finite one, and the first that does not.
  CHECK(load(head + "5,65519.9,2\n", 1).empty());
  CHECK(!load(head + "5,65520,2\n", 1).empty());
}

TEST_CASE("the test rows may be limited; what follows is not looked at") {
  const TemporaryFolder folder;
  const Result<Dataset> set = load_dataset(data_at(folder.write("a.csv", "1,2,0\n3,4,1\nrubbish\n"), 1, 1), 2, 3);
  REQUIRE(set.ok());
  CHECK(set->test.rows() == 1);
}

TEST_CASE("blanks, Windows line ends and a missing last line end are read") {
  const TemporaryFolder folder;
  const Result<Dataset> set = load_dataset(data_at(folder.write("a.csv", "1, 2 ,0\r\n3,4, 1\r\n05,6.5,2"), 2), 2, 3);
  REQUIRE(set.ok());
  CHECK(set->test.values == std::vector<float>{2.5F, 3.25F});
}

TEST_CASE("a wrong number of columns") {
  CHECK(error_of("1,2,0\n3,1\n5,6,2\n") ==
        "d.csv:2:3: error: the row has 2 columns, expected 3 (2 inputs of the model and the label)\n"
        "  3,1\n"
        "    ^\n"
        "  hint: the model's inputs and the data set must agree\n");
  CHECK(error_of("1,2,0\n3,4,5,1\n").find("d.csv:2:7: error: the row has 4 columns, expected 3") == 0);
  CHECK(error_of("1,2,0\n\n3,4,1\n").find("d.csv:2:1: error: the row has 1 column, expected 3") == 0);
}

TEST_CASE("values that are no numbers or out of range") {
  CHECK(error_of("1,x,0\n").find("d.csv:1:3: error: 'x' is not a number\n") == 0);
  CHECK(error_of("1,,0\n").find("d.csv:1:3: error: '' is not a number\n") == 0);
  CHECK(error_of("1,nan,0\n").find("d.csv:1:3: error: 'nan' is not a number\n") == 0);
  CHECK(error_of("1,2,0\n1,17,0\n").find("d.csv:2:3: error: the value 17 is out of range\n") == 0);
  CHECK(error_of("1,0" + std::string(400, '9') + ",0\n").find("d.csv:1:3: error: the number 0999") == 0);
  CHECK(error_of("01,007,02\n4,5,3\n").find("d.csv:2:5: error: the label 3") == 0);  // leading zeros are read, in every column
  CHECK(error_of("-1,2,0\n").find("d.csv:1:1: error: the value -1 is out of range\n") == 0);
  CHECK(error_of("1,17,0\n").find("hint: data.value_min is 0, data.value_max is 16") != std::string::npos);
}

TEST_CASE("files as spreadsheets write them are refused where they differ, with what to do") {
  const std::string mark = "\xEF\xBB\xBF";
  CHECK(error_of(mark + kGood).find("d.csv:1:1: error: the file begins with a byte order mark of UTF-8\n") == 0);
  CHECK(error_of(mark + kGood).find("hint: save it as plain text, without the mark") != std::string::npos);
  CHECK(error_of(std::string("\xFF\xFE" "1\0,\0", 6)).find("d.csv:1:1: error: the file begins with a byte order mark of UTF-16\n") == 0);
  for (const std::string heading : {"a,b,label\n", "a,b\n", "\"x 1\",\"x 2\",\"class\"\n"}) {
    CHECK(error_of(heading + kGood).find("d.csv:1:1: error: the file begins with a heading, not with a row of numbers\n") == 0);
    CHECK(error_of(heading + kGood).find("hint: remove the line") != std::string::npos);
  }
  // Further down, or with a number in it, a word is a wrong number.
  CHECK(error_of("1,2,0\na,b,c\n").find("d.csv:2:1: error: 'a' is not a number\n") == 0);
  CHECK(error_of("a,2,0\n" + kGood).find("d.csv:1:1: error: 'a' is not a number\n") == 0);
  CHECK(error_of("1;2;0\n3;4;1\n").find("d.csv:1:2: error: the row is separated by semicolons, columns are separated by commas\n") == 0);
  CHECK(error_of("1,5;2,5;0\n").find("d.csv:1:4: error: the row is separated by semicolons") == 0);
  CHECK(error_of("1\t2\t0\n").find("d.csv:1:2: error: the row is separated by tabs") == 0);
  CHECK(error_of("1 2 0\n").find("d.csv:1:2: error: the row is separated by blanks") == 0);
  CHECK(error_of("1,2,0\n3;4;1\n").find("hint: write commas between the columns and a point within a number\n") != std::string::npos);
  CHECK(error_of("1;2\n").find("d.csv:1:1: error: the row has 1 column, expected 3") == 0);
}

TEST_CASE("labels") {
  CHECK(error_of("1,2,3\n").find("d.csv:1:5: error: the label 3 is out of range\n") == 0);
  CHECK(error_of("1,2,-1\n").find("d.csv:1:5: error: the label -1 is out of range\n") == 0);
  CHECK(error_of("1,2,3\n").find("hint: the model has 3 outputs: labels are 0 to 2") != std::string::npos);
  CHECK(error_of("1,2,1.5\n").find("d.csv:1:5: error: the label '1.5' is not a whole number\n") == 0);
  CHECK(error_of("1,2,\n").find("d.csv:1:5: error: the label '' is not a whole number\n") == 0);
}

TEST_CASE("a file that is not whole is an input fault, one that disagrees with the run is not") {
  const TemporaryFolder folder;
  const auto fault_of = [&](const std::string& bytes, int train = 2) {
    const Result<Dataset> result = load_dataset(data_at(folder.write("d.csv", bytes), train), 2, 3);
    REQUIRE(!result.ok());
    return result.errors().front().fault;
  };
  for (const std::string& cut : {kGood.substr(0, kGood.size() - 4), kGood.substr(0, kGood.size() - 3), kGood.substr(0, 7)}) {
    INFO(cut);
    CHECK(fault_of(cut) == Fault::kInputOutput);
  }
  CHECK(error_of("1,2,0\n3,4") ==
        "d.csv:2:3: error: the row has 2 columns, expected 3 (2 inputs of the model and the label)\n"
        "  3,4\n"
        "    ^\n"
        "  hint: the file ends within this row: it is truncated, fetch it again\n");
  CHECK(fault_of(kGood, 4) == Fault::kInputOutput);                        // ends too early
  CHECK(fault_of(zipped(kGood).substr(0, 20)) == Fault::kInputOutput);     // damaged
  CHECK(fault_of("1,2,0\n3,4\n5,6,1\n") == Fault::kUsage);                 // columns
  CHECK(fault_of("1,2,0\n3,4\n") == Fault::kUsage);                        // a whole row, at the end too
  CHECK(fault_of("1,2,0\n3,4,5,1") == Fault::kUsage);
  CHECK(fault_of("1,x,0\n") == Fault::kUsage);
  CHECK(fault_of("1,17,0\n") == Fault::kUsage);
  CHECK(fault_of("1,2,3\n") == Fault::kUsage);
}

TEST_CASE("too few rows") {
  CHECK(error_of(kGood, 4).find("d.csv: error: has 4 rows; 4 to train and at least 1 to test are needed\n") == 0);
  CHECK(error_of(kGood, 3, 2).find("d.csv: error: has 4 rows; 3 to train and 2 to test are needed\n") == 0);
  CHECK(error_of("", 1).find("d.csv: error: has 0 rows") == 0);
  CHECK(error_of(kGood, 4).find("hint: the file is truncated, or data.train_rows") != std::string::npos);
}

TEST_CASE("a damaged archive") {
  std::string rows;
  for (int i = 0; i < 20000; ++i)
    rows += std::to_string(i * 7919 % 17) + "," + std::to_string(i * 104729 % 17) + "," + std::to_string(i % 3) + "\n";
  const std::string good = zipped(rows);
  CHECK(error_of(good, 10) == "no error");
  const std::string cut = error_of(good.substr(0, good.size() / 2), 10);
  INFO(cut);
  CHECK(cut.find("d.csv: error: the gzip stream is truncated after ") == 0);
  CHECK(cut.find("hint: fetch the file again") != std::string::npos);
  CHECK(error_of(good.substr(0, good.size() - 4), 10).find("the gzip stream is truncated") != std::string::npos);
  std::string damaged = good;
  damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 0x55);
  CHECK(error_of(damaged, 10).find("error: ") != std::string::npos);
  std::string checksum = good;
  checksum[checksum.size() - 6] = static_cast<char>(checksum[checksum.size() - 6] ^ 1);
  CHECK(error_of(checksum, 10).find("d.csv: error: cannot be unpacked after ") == 0);
  CHECK(error_of(checksum, 10).find(" whole rows: incorrect data check\n") != std::string::npos);
}

TEST_CASE("a file that is not there") {
  const TemporaryFolder folder;
  const Result<Dataset> missing = load_dataset(data_at(folder.path() / "no.csv", 1), 2, 3);
  REQUIRE(!missing.ok());
  CHECK(missing.errors()[0].message == "no such data file");
  CHECK(missing.errors()[0].fault == Fault::kInputOutput);
  const Result<Dataset> directory = load_dataset(data_at(folder.path(), 1), 2, 3);
  REQUIRE(!directory.ok());
  CHECK(directory.errors()[0].message == "is not a regular file");
}
